import type { SessionRef, TranscriptChange } from '@panoptes/schema'
import type { Cell } from '../postgres/copy.ts'
import type { Connection, Value } from '../postgres/database.ts'
import type { TranscriptRecord } from './port.ts'
import { storedName } from './tables.ts'

/** By the clock of the database: those of several hubs differ. */
export const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

interface Half {
  readonly number: number
  readonly name: string
  readonly head: string
  records: number
}

interface Of extends SessionRef {
  readonly host: string
}

type Told<Type extends TranscriptChange['type']> = Extract<TranscriptChange, { readonly type: Type }>

/** What one host tells of one session, from where it was. */
export class Telling {
  readonly #connection: Connection
  readonly #of: Of
  /** What it goes by in the tables. */
  readonly #key: readonly [source: string, id: string, host: string]
  /** What came to its end: told again it changes nothing. */
  readonly #ended: Set<string>
  #half: Half | undefined
  #rows: Cell[][] = []
  ended = 0
  dropped = 0
  isMissed = false
  isChanged = false

  private constructor(connection: Connection, of: Of, ended: Set<string>, half: Half | undefined) {
    this.#connection = connection
    this.#of = of
    this.#key = keyOf(of)
    this.#ended = ended
    this.#half = half
  }

  static async open(connection: Connection, of: Of): Promise<Telling> {
    const found = await connection.rows(
      `SELECT number, name, state, records, head FROM transcript_tellings
       WHERE source = $1 AND id = $2 AND host = $3 ORDER BY number`,
      keyOf(of),
    )
    const ended = found.filter(({ state }) => state !== 'half').map(({ name }) => String(name))
    const half = found.find(({ state }) => state === 'half')
    return new Telling(
      connection,
      of,
      new Set(ended),
      half && {
        number: Number(half.number),
        name: String(half.name),
        head: String(half.head),
        records: Number(half.records),
      },
    )
  }

  async take(change: TranscriptChange): Promise<void> {
    if (change.type === 'drop') return this.#drop()
    if (this.#ended.has(storedName(change.telling))) {
      if (change.type === 'end') this.ended += 1
      return
    }
    if (change.type === 'begin') return this.#begin(change)
    if (this.#half?.name !== storedName(change.telling) || change.at > this.#half.records) {
      this.isMissed = true
      return
    }
    if (change.type === 'end') return this.#end(this.#half, change)
    this.#add(this.#half, recordsOf(change).slice(this.#half.records - change.at))
  }

  /** The rows that are to be stored with it. */
  async close(): Promise<readonly Cell[][]> {
    if (this.#half)
      await this.#run(`UPDATE transcript_tellings SET records = $2, changed_at = ${NOW} WHERE number = $1`, [
        this.#half.number,
        this.#half.records,
      ])
    return this.#rows
  }

  async #begin({ telling, fingerprint, own }: Told<'begin'>): Promise<void> {
    const name = storedName(telling)
    if (this.#half?.name === name) return
    await this.#forgetHalf()
    const { id, host } = this.#of
    const head = JSON.stringify({ id, host, fingerprint, own })
    const made = await this.#connection.row(
      `INSERT INTO transcript_tellings (source, id, host, name, state, changed_at, head)
       VALUES ($1, $2, $3, $4, 'half', ${NOW}, $5) RETURNING number`,
      [...this.#key, name, head],
    )
    this.#half = { number: Number(made?.number), name, head, records: 0 }
  }

  #add(half: Half, records: readonly TranscriptRecord[]): void {
    for (const record of records) {
      const doc = JSON.stringify(record)
      const message = record.kind === 'message' ? storedName(record.message.id) : null
      this.#rows.push([half.number, half.records, message, Buffer.byteLength(doc), doc])
      half.records += 1
    }
  }

  async #end(half: Half, { at, session }: Told<'end'>): Promise<void> {
    if (at !== half.records) {
      this.isMissed = true
      return
    }
    const [source, id, host] = this.#key
    const { number, head } = half
    await this.#run(
      `INSERT INTO transcripts (source, id, telling, last_at, head, session) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (source, id) DO UPDATE
       SET telling = excluded.telling, last_at = excluded.last_at, head = excluded.head, session = excluded.session`,
      [source, id, number, session.last_at ?? session.started_at ?? 0, head, JSON.stringify(session)],
    )
    await this.#over(number)
    await this.#run(
      `UPDATE transcript_tellings SET state = 'stands', records = $2, changed_at = ${NOW} WHERE number = $1`,
      [number, half.records],
    )
    await this.#run(
      `INSERT INTO transcripts_told VALUES ($1, $2, $3, $4)
       ON CONFLICT (source, host, id) DO UPDATE SET head = excluded.head`,
      [source, host, id, head],
    )
    this.#ended.add(half.name)
    this.#half = undefined
    this.ended += 1
    this.isChanged = true
  }

  /** Where another host has told it since, that stands; where not, whoever else has it tells it again. */
  async #drop(): Promise<void> {
    await this.#forgetHalf()
    const [source, id, host] = this.#key
    const told = await this.#run(
      'DELETE FROM transcripts_told WHERE source = $1 AND id = $2 AND host = $3',
      this.#key,
    )
    if (told > 0) this.dropped += 1
    const gone = await this.#run(
      `DELETE FROM transcripts WHERE source = $1 AND id = $2
       AND (SELECT host FROM transcript_tellings WHERE number = telling) = $3`,
      [source, id, host],
    )
    if (gone === 0) return
    await this.#over(-1)
    await this.#run('DELETE FROM transcripts_told WHERE source = $1 AND id = $2', [source, id])
    this.isChanged = true
  }

  async #over(exceptFor: number): Promise<void> {
    const [source, id] = this.#key
    await this.#run(
      `UPDATE transcript_tellings SET state = 'over', changed_at = ${NOW}
       WHERE source = $1 AND id = $2 AND state = 'stands' AND number <> $3`,
      [source, id, exceptFor],
    )
  }

  async #forgetHalf(): Promise<void> {
    const number = this.#half?.number
    if (number === undefined) return
    this.#half = undefined
    this.#rows = this.#rows.filter(([of]) => of !== number)
    await this.#run('DELETE FROM transcript_records WHERE telling = $1', [number])
    await this.#run('DELETE FROM transcript_tellings WHERE number = $1', [number])
  }

  #run(sql: string, values: readonly Value[]): Promise<number> {
    return this.#connection.run(sql, values)
  }
}

const keyOf = ({ source, id, host }: Of) => [source, storedName(id), storedName(host)] as const

function recordsOf(change: Told<'agent' | 'messages' | 'skipped'>): readonly TranscriptRecord[] {
  switch (change.type) {
    case 'agent':
      return [{ kind: 'agent', agent: change.agent }]
    case 'messages':
      return change.messages.map((message) => ({ kind: 'message', message }))
    case 'skipped':
      return [{ kind: 'skipped', place: change.place, reason: change.reason }]
  }
}
