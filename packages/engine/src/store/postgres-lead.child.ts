import { waitForAbort } from '@panoptes/engine/abortable'
import { openPostgresStore } from './postgres/postgres-store.ts'

const [, , url = '', schema = ''] = process.argv
const say = (line: object): unknown =>
  process.stdout.write(`${JSON.stringify({ ...line, at: Date.now() })}\n`)

const opened = await openPostgresStore({ url, schema })
if (!opened.ok) throw new Error(opened.message)
const end = new AbortController()
process.on('SIGTERM', () => end.abort())
say({ ready: true })
await opened.value.lead(
  'judge',
  async (signal) => {
    say({ leads: true })
    await waitForAbort(signal)
    say({ leads: false })
  },
  end.signal,
)
await opened.value.close()
