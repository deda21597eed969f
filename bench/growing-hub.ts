import { openTranscripts } from '@panoptes/engine/store'
import { startTestServer } from '@panoptes/server/testing/server'

/** A hub that only accepts sessions, so that its usage is the cost of accepting them. */
const opened = await openTranscripts({ url: process.argv[2] ?? '', schema: 'space_main' })
if (!opened.ok) throw new Error(opened.message)
const server = await startTestServer({ options: { transcripts: opened.value } })
process.stdout.write(`${server.address} ${await server.token('ingest')}\n`)
process.on('SIGTERM', async () => {
  await server.stop()
  await opened.value.close()
  process.exit(0)
})
