-- Goes on with a hot tail, if it is the one the writer knows and ends where the writer's events begin.
-- KEYS: head, tail. ARGV: generation, epoch, after, how many to keep, seconds to live, then the events. Gives 1 or 0.
local head = redis.call('HMGET', KEYS[1], 'generation', 'epoch', 'seq')
if head[1] ~= ARGV[1] or head[2] ~= ARGV[2] or head[3] ~= ARGV[3] then return 0 end
local seq = ARGV[3]
for at = 6, #ARGV, 5 do
  seq = ARGV[at + 1]
  redis.call('XADD', KEYS[2], '0-' .. seq, 'e', ARGV[at], 'k', ARGV[at + 2], 't', ARGV[at + 3], 'b', ARGV[at + 4])
end
redis.call('XTRIM', KEYS[2], 'MAXLEN', '=', ARGV[4])
redis.call('HSET', KEYS[1], 'seq', seq)
redis.call('EXPIRE', KEYS[1], ARGV[5])
redis.call('EXPIRE', KEYS[2], ARGV[5])
return 1
