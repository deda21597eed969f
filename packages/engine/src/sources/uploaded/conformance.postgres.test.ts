import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { openTranscripts, transcriptsIn } from '@panoptes/engine/store'
import type { TranscriptChange } from '@panoptes/schema'
import { Client } from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { usePostgres } from '../../../../../e2e/setup/shared-servers.ts'
import { SOURCE, telling, value } from '../../store/transcripts/transcripts.test-kit.ts'
import { describeSource } from '../conformance/describe-source.ts'
import { startWriter } from '../conformance/writer.ts'
import { storedSource } from './uploaded-source.ts'

const WRITER = fileURLToPath(new URL('./writer.child.ts', import.meta.url))
const HOST = 'mast'
/** The number of sessions uploaded with one request. */
const TOGETHER = 500

const url = usePostgres()
const schema = `stored_${randomUUID().replaceAll('-', '')}`
const client = new Client({ connectionString: url })

beforeAll(async () => {
  await client.connect()
  await value(await openTranscripts({ url, schema })).close()
})
afterAll(async () => {
  await client.query(`DROP SCHEMA ${schema} CASCADE`)
  await client.end()
})

describeSource('stored', {
  open: () => {
    const transcripts = transcriptsIn({ url, schema })
    const uploads = new Map<string, readonly string[]>()
    const writers: (() => void)[] = []
    const write = async (changes: readonly TranscriptChange[]) =>
      void value(await transcripts.write(HOST, changes))
    const changesOf = (id: string) =>
      telling(id, uploads.get(id) ?? [], { fingerprint: String(uploads.get(id)?.length) })
    const say = (id: string, ...texts: readonly string[]) => {
      uploads.set(id, [...(uploads.get(id) ?? []), ...texts])
      return write(changesOf(id))
    }
    return {
      source: storedSource(transcripts, SOURCE),
      make: async (sessions) => {
        const made = [...sessions]
        for (const [id, texts] of made) uploads.set(id, texts)
        for (let at = 0; at < made.length; at += TOGETHER)
          await write(made.slice(at, at + TOGETHER).flatMap(([id]) => changesOf(id)))
      },
      append: say,
      cut: (id) => write(changesOf(id).slice(0, -20)),
      garble: (id, after) => say(id, '\ufffd\ufffd\ufffd', after),
      remove: (id) => write([{ type: 'drop', source: SOURCE, id }]),
      write: async (id) => {
        const { stop, kill } = await startWriter(process.execPath, [WRITER, url, schema, id])
        writers.push(kill)
        return async () => Number(await stop())
      },
      close: async () => {
        for (const kill of writers) kill()
        await transcripts.close()
        await client.query(
          ['transcripts', 'transcripts_told', 'transcript_tellings', 'transcript_records']
            .map((table) => `TRUNCATE ${schema}.${table}`)
            .join('; '),
        )
      },
    }
  },
})
