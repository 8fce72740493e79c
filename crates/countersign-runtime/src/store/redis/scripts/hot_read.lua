-- Reads a hot tail. KEYS: head, tail. ARGV: first number, how many, how many bytes.
-- Gives {generation, epoch, seq, events}; all empty where there is none. The reading is that of read.lua.
local head = redis.call('HMGET', KEYS[1], 'generation', 'epoch', 'seq')
if not head[1] then return {'', '0', '0', {}} end
local found, bytes, next = {}, 0, '0-' .. ARGV[1]
local max, budget = tonumber(ARGV[2]), tonumber(ARGV[3])
while #found < max and bytes < budget do
  local part = redis.call('XRANGE', KEYS[2], next, '+', 'COUNT', math.min(64, max - #found))
  if #part == 0 then break end
  for _, entry in ipairs(part) do
    local fields = entry[2]
    if #found > 0 and bytes + #fields[8] > budget then return {head[1], head[2], head[3], found} end
    found[#found + 1] = {string.sub(entry[1], 3), fields[2], fields[4], fields[6], fields[8]}
    bytes = bytes + #fields[8]
  end
  next = '(' .. part[#part][1]
end
return {head[1], head[2], head[3], found}
