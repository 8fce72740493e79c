-- Takes one from a cell that drains evenly. KEYS: cell. ARGV: per second, burst. Gives the wait in microseconds, 0 for none.
-- The cell keeps when it will have drained, in microseconds of the server's clock.
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local each = 1000000 / tonumber(ARGV[1])
local full = each * tonumber(ARGV[2])
local drained = tonumber(redis.call('GET', KEYS[1]) or now)
-- The clock may have been set back: a cell is never more than full.
drained = math.min(math.max(drained, now), now + full)
-- Half a microsecond of forgiveness: these are sums of fractions.
local wait = drained + each - (now + full)
if wait > 0.5 then return math.ceil(wait) end
redis.call('SET', KEYS[1], string.format('%.3f', drained + each), 'PX', math.ceil((drained + each - now) / 1000) + 1000)
return 0
