import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { openTranscripts, transcriptsIn } from '@panoptes/engine/ledger'
import type { TranscriptChange } from '@panoptes/schema'
import { Client } from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { SOURCE, telling, value } from '../../ledger/transcripts/transcripts.test-kit.ts'
import { describeSource } from '../battery/describe-source.ts'
import { startWriter } from '../battery/writer.ts'
import { storedSource } from './stored-source.ts'

const WRITER = fileURLToPath(new URL('./writer.child.ts', import.meta.url))
const HOST = 'mast'
/** Sessions that are told with one call. */
const TOGETHER = 500

const url = inject('postgres')
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
    const told = new Map<string, readonly string[]>()
    const writers: (() => void)[] = []
    const write = async (changes: readonly TranscriptChange[]) =>
      void value(await transcripts.write(HOST, changes))
    const changesOf = (id: string) =>
      telling(id, told.get(id) ?? [], { fingerprint: String(told.get(id)?.length) })
    const say = (id: string, ...texts: readonly string[]) => {
      told.set(id, [...(told.get(id) ?? []), ...texts])
      return write(changesOf(id))
    }
    return {
      source: storedSource(transcripts, SOURCE),
      make: async (sessions) => {
        const made = [...sessions]
        for (const [id, texts] of made) told.set(id, texts)
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
