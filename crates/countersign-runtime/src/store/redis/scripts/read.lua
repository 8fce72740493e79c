-- Events after a number. KEYS: log. ARGV: first number, how many, how many bytes.
-- Gives {seq, epoch, kind, time, body} of each; at least one if there is one, however big it is.
local found, bytes, next = {}, 0, '0-' .. ARGV[1]
local max, budget = tonumber(ARGV[2]), tonumber(ARGV[3])
while #found < max and bytes < budget do
  local part = redis.call('XRANGE', KEYS[1], next, '+', 'COUNT', math.min(64, max - #found))
  if #part == 0 then break end
  for _, entry in ipairs(part) do
    local fields = entry[2]
    if #found > 0 and bytes + #fields[8] > budget then return found end
    found[#found + 1] = {string.sub(entry[1], 3), fields[2], fields[4], fields[6], fields[8]}
    bytes = bytes + #fields[8]
  end
  next = '(' .. part[#part][1]
end
return found
