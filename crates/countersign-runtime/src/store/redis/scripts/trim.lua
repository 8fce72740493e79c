-- Removes the oldest events. KEYS: run, log. ARGV: since ('' for any), bytes ('' for any). Gives the oldest that is left.
local run = redis.call('HMGET', KEYS[1], 'seq', 'oldest', 'bytes')
if not run[1] then return 1 end
local oldest, bytes = tonumber(run[2]), tonumber(run[3])
local since, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
local next, done = '-', false
while not done do
  local part = redis.call('XRANGE', KEYS[2], next, '+', 'COUNT', 100)
  if #part == 0 then break end
  for _, entry in ipairs(part) do
    local fields = entry[2]
    local old, big = since and tonumber(fields[6]) < since, limit and bytes > limit
    if not old and not big then done = true break end
    bytes = bytes - #fields[8]
    oldest = tonumber(string.sub(entry[1], 3)) + 1
  end
  next = '(' .. part[#part][1]
end
redis.call('XTRIM', KEYS[2], 'MINID', '=', '0-' .. string.format('%.0f', oldest))
redis.call('HSET', KEYS[1], 'oldest', string.format('%.0f', oldest), 'bytes', string.format('%.0f', bytes))
return oldest
