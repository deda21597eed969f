import { newEvents } from '@panoptes/engine/demo'
import { openSqliteLedger } from '@panoptes/engine/ledger'
import { success } from '@panoptes/schema'
import { startForward } from './forward.ts'
import { openHub } from './hub.ts'

/** Stores a day slowly and sends it to a hub meanwhile, until it is killed. What is stored already is known by its key. */
const [, , file = '', to = '', count = '0', seed = '0'] = process.argv
const ledger = await openSqliteLedger(file)
if (!ledger.ok) throw new Error(ledger.message)
const token = async () => success('pan_good')
const started = await startForward({
  ledger: ledger.value,
  hub: openHub({ to, token, patienceMs: 500 }),
  token,
  what: 'metadata',
  host: 'studio',
  log: { info: () => undefined, warn: () => undefined },
  times: { firstMs: 5, mostMs: 50, slowMs: 50 },
})
if (!started.ok) throw new Error(started.message)
console.log('forwarding')
const day = [...newEvents({ seed: Number(seed), events: Number(count) })]
for (let at = 0; at < day.length; at += 25) await ledger.value.append(day.slice(at, at + 25))
setInterval(() => undefined, 60_000)
