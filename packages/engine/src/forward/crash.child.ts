import { generateNewEvents } from '@panoptes/engine/demo'
import { openSqliteStore } from '@panoptes/engine/store'
import { success } from '@panoptes/schema'
import { startForward } from './forward.ts'
import { openHub } from './hub.ts'

/**
 * Stores a day slowly and forwards it meanwhile, until the process is killed. Event keys show what was stored
 * already.
 */
const [, , file = '', to = '', count = '0', seed = '0'] = process.argv
const store = await openSqliteStore(file)
if (!store.ok) throw new Error(store.message)
const token = async () => success('pan_good')
const started = await startForward({
  store: store.value,
  hub: openHub({ to, token, timeoutMs: 500 }),
  token,
  what: 'metadata',
  host: 'studio',
  log: { info: () => undefined, warn: () => undefined },
  times: { firstMs: 5, mostMs: 50, slowMs: 50 },
})
if (!started.ok) throw new Error(started.message)
console.log('forwarding')
const day = [...generateNewEvents({ seed: Number(seed), events: Number(count) })]
for (let at = 0; at < day.length; at += 25) await store.value.append(day.slice(at, at + 25))
setInterval(() => undefined, 60_000)
