-- Asks for the right to write a run. KEYS: run, runs. ARGV: name, node, address.
-- Gives {epoch, seq, open} where it is held, {node, address} where another has a turn open in it.
local run = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'open', 'node', 'address')
if not run[1] then
  redis.call('HSET', KEYS[1], 'epoch', 1, 'seq', 0, 'oldest', 1, 'open', 0, 'bytes', 0, 'node', ARGV[2], 'address', ARGV[3])
  redis.call('ZADD', KEYS[2], 0, ARGV[1])
  return {1, 0, 0}
end
local epoch = tonumber(run[1])
if run[4] ~= ARGV[2] then
  if run[3] == '1' then return {run[4], run[5]} end
  epoch = epoch + 1
  redis.call('HSET', KEYS[1], 'epoch', epoch, 'node', ARGV[2], 'address', ARGV[3])
end
return {epoch, tonumber(run[2]), tonumber(run[3])}
