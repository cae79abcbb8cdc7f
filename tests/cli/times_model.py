"""Times of expressions by Python's calendar."""

import datetime as dt

ZONES = ["", "Z", "+02:00", "-05:30", "+0100", "-11"]
UNITS = ["year", "quarter", "month", "week", "day", "hour", "minute", "second"]


def random_time(source):
    leap = ["2024-02-29", "2000-02-29", "1900-02-28", "1900-03-01", "2020-12-31", "2021-01-03"]
    day = dt.date.fromordinal(source.randint(1, 3652059)).isoformat()
    text = source.choice([day, day, source.choice(leap)])
    if source.random() < 0.4:
        return text
    clock = f"{source.randint(0, 23):02}:{source.randint(0, 59):02}"
    if source.random() < 0.6:
        clock += f":{source.randint(0, 59):02}" + source.choice(["", ".5", ".123456789"])
    return text + source.choice("T ") + clock + source.choice(ZONES)


def parts_of_time(text):
    """The date and time as written without its offset, the offset as written, and in UTC."""
    at = next((k for k in range(11, len(text)) if text[k] in "Z+-"), len(text))
    clock, zone = text[:at], text[at:]
    digits = clock[11:].replace(",", ".").split(".")
    base = dt.datetime.fromisoformat(clock[:10] + ("T" + digits[0] if digits[0] else ""))
    fraction = int((digits[1] + "0" * 9)[:9]) / 1e9 if len(digits) > 1 else 0.0
    minutes = 0
    if zone and zone != "Z":
        number = zone[1:].replace(":", "")
        minutes = int(number[:2]) * 60 + int(number[2:] or 0)
        minutes *= -1 if zone[0] == "-" else 1
    seconds = (base - dt.datetime(1970, 1, 1)) // dt.timedelta(seconds=1) - 60 * minutes
    return base, zone, seconds + fraction


def of_time(function):
    """A missing time gives a missing value."""
    return lambda text: None if text is None or text == "" else function(*parts_of_time(text), text)


def truncated(unit):
    def of(base, zone, _, text):
        day = base.date()
        if unit == "year":
            day = day.replace(month=1, day=1)
        elif unit == "quarter":
            day = day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        elif unit == "month":
            day = day.replace(day=1)
        elif unit == "week":
            day -= dt.timedelta(days=day.weekday())
        if unit not in ("hour", "minute", "second"):
            return day.isoformat()
        digits = {"hour": 13, "minute": 16, "second": 19}[unit]
        separator = text[10:11] or "T"
        clock = base.isoformat()[:digits].replace("T", separator)
        return clock + (":00" if unit == "hour" else "") + zone

    return of_time(of)


TIME_PARTS = {
    "year": lambda base, *_: base.year,
    "quarter": lambda base, *_: (base.month + 2) // 3,
    "month": lambda base, *_: base.month,
    "week": lambda base, *_: base.isocalendar()[1],
    "weekday": lambda base, *_: base.isoweekday(),
    "day": lambda base, *_: base.day,
    "hour": lambda base, *_: base.hour,
    "minute": lambda base, *_: base.minute,
    "second": lambda base, *_: base.second,
    "days": lambda base, *_: base.toordinal() - 719163,
}
