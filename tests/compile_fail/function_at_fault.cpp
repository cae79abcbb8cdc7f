/// Functions of transforms that are nearly right.
#include <upsweep/upsweep.hpp>

#include <functional>
#include <list>
#include <memory>
#include <vector>

struct person {
  int age;
  double weight;
  double mass() const { return weight; }
  double eat() { return weight += 1; }
  double carrying(double load) const { return weight + load; }
};

void totals(std::vector<person> const& people, std::vector<double> const& loads,
            std::vector<int>& out, std::vector<double>& sums) {
#ifdef CORRECT
  (void)upsweep::transform_reduce(people, &person::age, upsweep::argmax{});
  (void)upsweep::transform_reduce(people, &person::mass);
  (void)upsweep::transform_reduce(std::vector<person*>{}, &person::mass);
  (void)upsweep::transform_reduce(std::vector<std::unique_ptr<person>>{}, &person::age,
                                  upsweep::max{});
  (void)upsweep::transform_reduce(std::vector<std::reference_wrapper<person>>{}, &person::eat);
  upsweep::transform_inclusive_scan(people, out, &person::age);
  upsweep::transform_exclusive_scan(people, out, &person::age, upsweep::max{});
  (void)upsweep::transform_reduce(people, loads, &person::carrying);
  upsweep::transform_inclusive_scan(people, loads, sums, &person::carrying, upsweep::max{});
#elif WRONG == 1
  (void)upsweep::transform_reduce(people,
                                  [last = 0](person const& p) mutable { return last = p.age; });
#elif WRONG == 2
  upsweep::transform_inclusive_scan(people, out, [](person& p) { return p.age; });
#elif WRONG == 3
  (void)upsweep::transform_reduce(people, &person::eat);
#elif WRONG == 4
  upsweep::transform_exclusive_scan(people, out, [](person const& p) { (void)p; });
#elif WRONG == 5
  (void)upsweep::transform_reduce(people,
                                  [](person const& a, person const& b) { return a.age + b.age; });
#elif WRONG == 6
  (void)upsweep::transform_reduce(people, upsweep::max{}, &person::age);
#elif WRONG == 7
  (void)upsweep::transform_reduce(people, loads, &person::age, upsweep::max{});
#elif WRONG == 8
  upsweep::transform_exclusive_scan(people, loads, sums, [](person const& p) { return p.weight; });
#elif WRONG == 9
  (void)upsweep::transform_reduce(people, loads,
                                  [](person& p, double load) { return p.weight = load; });
#elif WRONG == 10
  (void)upsweep::transform_reduce(people, loads, [](person const&, double) {});
#elif WRONG == 11
  (void)upsweep::transform_reduce(people, std::list<double>{}, &person::carrying);
#elif WRONG == 12
  (void)upsweep::transform_reduce(people, loads, &person::carrying, &person::carrying);
#endif
}
