import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTranscripts, type Transcripts } from '@panoptes/engine/store'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { usePostgres } from '../../../../../e2e/setup/shared-servers.ts'
import { value } from '../../store/transcripts/transcripts.test-kit.ts'
import { linesOf, promptRow } from '../claude-code/claude-code.test-kit.ts'
import { find, listed, read, textsOf } from '../conformance/records.ts'
import { storedSource } from '../uploaded/uploaded-source.ts'
import { copySessions } from './copy.ts'
import type { SessionCopy, TranscriptReceiver } from './port.ts'
import { receiverOf } from './receiver.ts'

export const NAME = 'claude-code'

/** For each test of a file the home of a computer, and a space that is told of its sessions. */
export function useCopies() {
  const url = usePostgres()
  const client = new Client({ connectionString: url })
  const folder = () => join(lab.home, 'claude', 'projects', '-home-dev-atlas')
  const fileOf = (id: string) => join(folder(), `${id}.jsonl`)
  const env = () => ({ HOME: lab.home, CLAUDE_CONFIG_DIR: join(lab.home, 'claude') })
  const stored = () => storedSource(lab.transcripts, NAME)
  const lab = {
    url,
    client,
    schema: '',
    home: '',
    transcripts: {} as Transcripts,
    copy: undefined as SessionCopy | undefined,
    folder,
    fileOf,
    env,
    stored,
    put: (id: string, ...texts: readonly string[]) => {
      mkdirSync(folder(), { recursive: true })
      writeFileSync(fileOf(id), linesOf(texts.map((text) => promptRow(text))))
    },
    begin: (receiver: TranscriptReceiver = receiverOf(lab.transcripts, 'mast')): SessionCopy => {
      lab.copy = copySessions({ env: env(), receiver })
      return lab.copy
    },
    ids: async () => (await listed(stored())).map(({ id }) => id).sort(),
    texts: async (id: string) => textsOf(await read(stored(), await find(stored(), id))),
  }
  beforeAll(() => client.connect())
  afterAll(() => client.end())
  beforeEach(async () => {
    lab.schema = `copy_${randomUUID().replaceAll('-', '')}`
    lab.transcripts = value(await openTranscripts({ url, schema: lab.schema }))
    lab.home = mkdtempSync(join(tmpdir(), 'panoptes-copy-'))
  })
  afterEach(async () => {
    await lab.copy?.close()
    lab.copy = undefined
    await lab.transcripts.close()
    await client.query(`DROP SCHEMA ${lab.schema} CASCADE`)
    rmSync(lab.home, { recursive: true, force: true })
  })
  return lab
}
