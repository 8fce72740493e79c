-- Where runs stand. KEYS: runs. Gives {epoch, seq, oldest, open, bytes, node, address} of each; zeros for none.
local heads = {}
for at, key in ipairs(KEYS) do
  local run = redis.call('HMGET', key, 'epoch', 'seq', 'oldest', 'open', 'bytes', 'node', 'address')
  if run[1] then heads[at] = run else heads[at] = {'0', '0', '1', '0', '0', '', ''} end
end
return heads
