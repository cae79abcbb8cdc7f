"""The tasks of shell_tasks.py: how each program does them. A text for DuckDB is a query, for polars
an expression over the table `t`, for others their arguments; a tuple holds a line for a shell."""

TASKS = [
    (
        "sum of a column",
        {
            "upsweep": "reduce t.csv -c price",
            "datamash": "-t, --header-in sum 4 < t.csv",
            "mlr": "--icsv --ojson stats1 -a sum -f price t.csv",
            "mawk": "-F, 'NR>1{s+=$4}END{printf \"%.9g\\n\", s}' t.csv",
            "DuckDB": "SELECT sum(price) FROM 't.csv'",
            "polars": "t.select(p.col('price').sum())",
        },
    ),
    (
        "five statistics of two columns",
        {
            "upsweep": "reduce t.csv -c price,qty --op sum,min,max,mean,sample-std",
            "datamash": "-t, --header-in sum 4 min 4 max 4 mean 4 sstdev 4 "
            "sum 5 min 5 max 5 mean 5 sstdev 5 < t.csv",
            "mlr": "--icsv --ojson stats1 -a sum,min,max,mean,stddev -f price,qty t.csv",
            "DuckDB": "SELECT sum(price), min(price), max(price), avg(price), stddev(price), "
            "sum(qty), min(qty), max(qty), avg(qty), stddev(qty) FROM 't.csv'",
            "polars": "t.select(*[getattr(p.col(c), f)().name.suffix(f) for c in ('price', 'qty') "
            "for f in ('sum', 'min', 'max', 'mean', 'std')])",
        },
    ),
    (
        "totals of 500 groups, sorted",
        {
            "upsweep": "reduce sorted.csv --by store --sorted --op sum:price",
            "datamash": "-t, --header-in -g 3 sum 4 < sorted.csv",
            "mlr": "--icsv --ocsv stats1 -a sum -f price -g store sorted.csv",
            "mawk": "-F, 'NR>1{s[$3]+=$4}"
            'END{for(k in s) printf "%s,%.9g\\n", k, s[k]}\' sorted.csv',
            "DuckDB": "SELECT store, sum(price) FROM 'sorted.csv' GROUP BY store",
            "polars": "t.group_by('store').agg(p.col('price').sum())",
            "file": "sorted.csv",
        },
    ),
    (
        "totals of 500 groups, not sorted",
        {
            "upsweep": "reduce t.csv --by store --op sum:price",
            "datamash": "-t, -s --header-in -g 3 sum 4 < t.csv",
            "mlr": "--icsv --ocsv stats1 -a sum -f price -g store t.csv",
            "mawk": "-F, 'NR>1{s[$3]+=$4}END{for(k in s) printf \"%s,%.9g\\n\", k, s[k]}' t.csv",
            "DuckDB": "SELECT store, sum(price) FROM 't.csv' GROUP BY store",
            "polars": "t.group_by('store').agg(p.col('price').sum())",
        },
    ),
    (
        "as many groups as a third of the rows, not sorted",
        {
            "upsweep": "reduce t.csv --by key --op sum:price",
            "mlr": "--icsv --ocsv stats1 -a sum -f price -g key t.csv",
            "mawk": "-F, 'NR>1{s[$1]+=$4}END{for(k in s) printf \"%s,%.9g\\n\", k, s[k]}' t.csv",
            "DuckDB": "SELECT key, sum(price) FROM 't.csv' GROUP BY key",
            "polars": "t.group_by('key').agg(p.col('price').sum())",
        },
    ),
    (
        "sum, largest and number of rows by group, with names",
        {
            "upsweep": "reduce t.csv --by store --op 'sum:price as total,max:qty as most,count'",
            "datamash": "-t, -s --header-in -g 3 sum 4 max 5 count 1 < t.csv",
            "DuckDB": "SELECT store, sum(price) total, max(qty) most, count(*) n FROM 't.csv' "
            "GROUP BY store",
            "polars": "t.group_by('store').agg(p.col('price').sum().alias('total'), "
            "p.col('qty').max().alias('most'), p.len())",
        },
    ),
    (
        "median by group",
        {
            "upsweep": "reduce t.csv --by store --op median:price",
            "datamash": "-t, -s --header-in -g 3 median 4 < t.csv",
            "mlr": "--icsv --ocsv stats1 -i -a median -f price -g store t.csv",
            "DuckDB": "SELECT store, median(price) FROM 't.csv' GROUP BY store",
            "polars": "t.group_by('store').agg(p.col('price').median())",
        },
    ),
    (
        "different values, first and last day",
        {
            "upsweep": "reduce t.csv --op distinct:store,min:day,max:day",
            "datamash": "-t, --header-in countunique 3 < t.csv",
            "DuckDB": "SELECT count(DISTINCT store), min(day), max(day) FROM 't.csv'",
            "polars": "t.select(p.col('store').n_unique(), p.col('day').min().alias('a'), "
            "p.col('day').max().alias('b'))",
        },
    ),
    (
        "total of a product of two columns",
        {
            "upsweep": "reduce t.csv --op 'sum:price*qty'",
            "mlr": "--icsv --ojson put -q '@s += $price * $qty; end {emit @s}' t.csv",
            "mawk": "-F, 'NR>1{s+=$4*$5}END{printf \"%.9g\\n\", s}' t.csv",
            "DuckDB": "SELECT sum(price * qty) FROM 't.csv'",
            "polars": "t.select((p.col('price') * p.col('qty')).sum())",
        },
    ),
    (
        "totals by month of a date",
        {
            "upsweep": "reduce t.csv --by 'month(day)' --op sum:price",
            "mlr": '--icsv --ocsv put \'$m = int(sub($day, "^....-0?(.*)-..$", "\\1"))\' '
            "then stats1 -a sum -f price -g m t.csv",
            "mawk": "-F, 'NR>1{s[substr($2,6,2)+0]+=$4}"
            'END{for(k in s) printf "%s,%.9g\\n", k, s[k]}\' t.csv',
            "DuckDB": "SELECT month(day::DATE), sum(price) FROM 't.csv' GROUP BY ALL",
            "polars": "t.group_by(p.col('day').str.to_date().dt.month()).agg(p.col('price').sum())",
        },
    ),
    (
        "rows by a condition on two columns",
        {
            "upsweep": "select t.csv --where 'price > 900 && day >= \"2020-06-01\"'",
            "mlr": "--icsv --ocsv filter '$price > 900 && $day >= \"2020-06-01\"' t.csv",
            "mawk": "-F, 'NR==1 || ($4 > 900 && $2 >= \"2020-06-01\")' t.csv",
            "DuckDB": "SELECT * FROM 't.csv' WHERE price > 900 AND day >= '2020-06-01'",
            "polars": "t.filter((p.col('price') > 900) & (p.col('day') >= '2020-06-01'))",
        },
    ),
    (
        "cumulative sum, whole rows kept",
        {
            "upsweep": "scan t.csv -c price --keep all",
            "mlr": "--icsv --ocsv step -a rsum -f price t.csv",
            "mawk": '-F, \'NR==1{print $0 ",s";next}{s+=$4; print $0 "," s}\' t.csv',
            "DuckDB": "SELECT *, sum(price) OVER (ROWS UNBOUNDED PRECEDING) FROM 't.csv'",
            "polars": "t.with_columns(p.col('price').cum_sum().alias('s'))",
        },
    ),
    (
        "mean of the last seven rows",
        {
            "upsweep": "scan t.csv --op window:7:mean:price",
            "mlr": "--icsv --ocsv step -a slwin_6_0 -f price then cut -f price_slwin_6_0 t.csv",
            "DuckDB": "SELECT avg(price) OVER (ROWS 6 PRECEDING) FROM 't.csv'",
            "polars": "t.select(p.col('price').rolling_mean(7, min_samples=1))",
        },
    ),
    (
        "ten largest rows",
        {
            "upsweep": "sort t.csv -c price --top 10",
            "mlr": "--icsv --ocsv top -n 10 -f price -a t.csv",
            "DuckDB": "SELECT * FROM 't.csv' ORDER BY price DESC LIMIT 10",
            "polars": "t.top_k(10, by='price')",
        },
    ),
    (
        "three largest rows of each of 500 groups",
        {
            "upsweep": "sort t.csv --by store -c price --top 3",
            "mlr": "--icsv --ocsv top -n 3 -f price -g store -a t.csv",
            "DuckDB": "SELECT * FROM 't.csv' QUALIFY row_number() OVER "
            "(PARTITION BY store ORDER BY price DESC) <= 3",
            "polars": "t.sort('price', descending=True).group_by('store').head(3)",
        },
    ),
    (
        "rank in each of 500 groups",
        {
            "upsweep": "scan t.csv --by store --op rank:price",
            "DuckDB": "SELECT rank() OVER (PARTITION BY store ORDER BY price) FROM 't.csv'",
            "polars": "t.select(p.col('price').rank('min').over('store'))",
        },
    ),
    (
        "cumulative share of the total",
        {
            "upsweep": "scan t.csv --op cumulative-share:price",
            "mlr": "--icsv --ocsv fraction -f price -c then cut -f price_cumulative_fraction t.csv",
            "DuckDB": "SELECT sum(price) OVER (ROWS UNBOUNDED PRECEDING) / sum(price) OVER () "
            "FROM 't.csv'",
            "polars": "t.select(p.col('price').cum_sum() / p.col('price').sum())",
        },
    ),
    (
        "all rows sorted by a column",
        {
            "upsweep": "sort t.csv -c price",
            "mlr": "--icsv --ocsv sort -nf price t.csv",
            "DuckDB": "SELECT * FROM 't.csv' ORDER BY price",
            "polars": "t.sort('price', maintain_order=True)",
        },
    ),
    (
        "sum of a column, gzip",
        {
            "upsweep": "reduce t.csv.gz -c price",
            "datamash": ("gunzip -c t.csv.gz | datamash -t, --header-in sum 4",),
            "mlr": "--icsv --ojson stats1 -a sum -f price t.csv.gz",
            "DuckDB": "SELECT sum(price) FROM 't.csv.gz'",
            "polars": "t.select(p.col('price').sum())",
            "file": "t.csv.gz",
        },
    ),
    (
        "exact sum of decimals",
        {
            "upsweep": "reduce t.csv --op decimal-sum:price",
            "DuckDB": "SELECT sum(price) FROM "
            "read_csv('t.csv', types = {'price': 'DECIMAL(18,2)'})",
            "polars": "t.select(p.col('price').cast(p.Decimal(18, 2)).sum())",
        },
    ),
    (
        "sessions of 500 users, half an hour apart",
        {
            "upsweep": "scan visits.csv --by user --op session:1800:time",
            "DuckDB": "SELECT sum(new) OVER (PARTITION BY user ORDER BY time ROWS UNBOUNDED "
            "PRECEDING) FROM (SELECT user, time, CASE WHEN time - lag(time) OVER (PARTITION BY "
            "user ORDER BY time) <= 1800 THEN 0 ELSE 1 END AS new FROM 'visits.csv')",
            "polars": "t.select((p.col('time').diff() > 1800).fill_null(True).cum_sum()"
            ".over('user'))",
            "file": "visits.csv",
        },
    ),
    (
        "lengths of runs of equal strings",
        {
            "upsweep": "runs sorted.csv -c store",
            "datamash": "-t, --header-in -g 3 count 3 < sorted.csv",
            "mlr": "--icsv --ocsv count-distinct -f store sorted.csv",
            "mawk": "-F, 'NR>1{n[$3]++}END{for(k in n) print k \",\" n[k]}' sorted.csv",
            "DuckDB": "SELECT store, count(*) FROM 'sorted.csv' GROUP BY store",
            "polars": "t.group_by('store').len()",
            "file": "sorted.csv",
        },
    ),
    (
        "sum of a column, JSON lines",
        {
            "upsweep": "reduce t.jsonl -c price",
            "mlr": "--ijsonl --ojson stats1 -a sum -f price t.jsonl",
            "DuckDB": "SELECT sum(price) FROM 't.jsonl'",
            "polars": "t.select(p.col('price').sum())",
            "file": "t.jsonl",
        },
    ),
    (
        "totals of 500 groups, JSON lines",
        {
            "upsweep": "reduce t.jsonl --by store --op sum:price --to csv",
            "mlr": "--ijsonl --ocsv stats1 -a sum -f price -g store t.jsonl",
            "DuckDB": "SELECT store, sum(price) FROM 't.jsonl' GROUP BY store",
            "polars": "t.group_by('store').agg(p.col('price').sum())",
            "file": "t.jsonl",
        },
    ),
    (
        "sum of a column, Parquet",
        {
            "upsweep": "reduce t.parquet -c price",
            "DuckDB": "SELECT sum(price) FROM 't.parquet'",
            "polars": "t.select(p.col('price').sum())",
            "file": "t.parquet",
        },
    ),
    (
        "totals of 500 groups, Parquet",
        {
            "upsweep": "reduce t.parquet --by store --op sum:price",
            "DuckDB": "SELECT store, sum(price) FROM 't.parquet' GROUP BY store",
            "polars": "t.group_by('store').agg(p.col('price').sum())",
            "file": "t.parquet",
        },
    ),
]
