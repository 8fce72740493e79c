-- Merges flags and gives all of them. KEYS: flags. ARGV: scope, raised, cleared, time of each.
-- A flag is kept as 'raised cleared time'. Counts are compared as digits: Lua's numbers lose the last ones of a big count.
local function less(one, two)
  if #one ~= #two then return #one < #two end
  return one < two
end

for at = 1, #ARGV, 4 do
  local scope, raised, cleared, time = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  local known = redis.call('HGET', KEYS[1], scope)
  if known then
    local old_raised, old_cleared, old_time = string.match(known, '^(%d+) (%d+) (-?%d+)$')
    if less(raised, old_raised) or (raised == old_raised and tonumber(time) < tonumber(old_time)) then time = old_time end
    if less(raised, old_raised) then raised = old_raised end
    if less(cleared, old_cleared) then cleared = old_cleared end
  end
  redis.call('HSET', KEYS[1], scope, raised .. ' ' .. cleared .. ' ' .. time)
end
return redis.call('HGETALL', KEYS[1])
