import { openTranscripts } from '@panoptes/engine/ledger'
import { startTestServer } from '@panoptes/server/testing/server'

/** A hub that only takes sessions, so that what it uses is what that takes. */
const opened = await openTranscripts({ url: process.argv[2] ?? '', schema: 'space_main' })
if (!opened.ok) throw new Error(opened.message)
const server = await startTestServer({ options: { transcripts: opened.value } })
process.stdout.write(`${server.address} ${await server.token('ingest')}\n`)
process.on('SIGTERM', async () => {
  await server.stop()
  await opened.value.close()
  process.exit(0)
})
