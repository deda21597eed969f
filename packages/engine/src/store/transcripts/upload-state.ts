import { readUploaderHost, type SessionRef, type TranscriptChange } from '@panoptes/schema'
import type { Cell } from '../postgres/copy.ts'
import type { TranscriptRecord } from './port.ts'
import { toStoredName } from './tables.ts'

export type TellingState = 'half' | 'stands' | 'over'

/** One upload of a session as its row describes it. */
export interface TellingRow {
  readonly number: number
  name: string
  head: string
  records: number
  state: TellingState
  /**
   * For an unfinished upload, `base` is the upload whose rows it continues when it ends, and `reused` counts
   * the records that are already there.
   */
  base: number | null
  reused: number
  /** Counts how often rows of it were replaced. */
  cuts: number
}

/** Rows that are appended to another upload from a number on. */
export interface Grown {
  readonly from: number
  readonly into: number
  readonly reused: number
}

/** Records that are identical to those of another upload. */
export interface Copied {
  readonly into: number
  readonly at: number
  readonly of: number
  readonly from: number
  readonly count: number
}

/** A session whose upload finished. */
export interface Ended {
  readonly telling: number
  readonly last_at: number
  readonly head: string
  readonly session: string
}

interface Of extends SessionRef {
  readonly host: string
}

type Change<Type extends TranscriptChange['type']> = Extract<TranscriptChange, { readonly type: Type }>

/** Tracks what one host uploads of one session, from its previous state on, and what follows from it. */
export class Telling {
  readonly #of: Of
  readonly #next: () => number
  /** The uploads that finished. Repeating one changes nothing. */
  readonly #ended: Set<string>
  #half: TellingRow | undefined
  /** Rows that already exist. */
  readonly #stored: ReadonlySet<TellingRow>
  /** Uploads that are new or changed. */
  readonly changed = new Set<TellingRow>()
  /** Uploads to remove. */
  readonly removed: number[] = []
  rows: Cell[][] = []
  copied: Copied[] = []
  readonly grown: Grown[] = []
  stands: Ended | undefined
  ended = 0
  isDropped = false
  isMissed = false

  /** `next` returns the number for an upload that begins. */
  constructor(of: Of, stored: readonly TellingRow[], next: () => number) {
    this.#of = of
    this.#next = next
    this.#stored = new Set(stored)
    this.#ended = new Set(stored.filter(({ state }) => state !== 'half').map(({ name }) => name))
    this.#half = stored.find(({ state }) => state === 'half')
  }

  isNew(row: TellingRow): boolean {
    return !this.#stored.has(row)
  }

  take(change: TranscriptChange): void {
    if (change.type === 'drop') this.#drop()
    else if (!this.#ended.has(toStoredName(change.telling))) this.#goOn(change)
    else if (change.type === 'end') this.ended += 1
  }

  #goOn(change: Exclude<TranscriptChange, Change<'drop'>>): void {
    const name = toStoredName(change.telling)
    const half = this.#half
    if (change.type === 'begin') this.#begin(name, change)
    else if (half?.name !== name || change.at > half.records) this.isMissed = true
    else if (change.type === 'same') this.#same(half, change)
    else if (change.type !== 'end') this.#add(half, toRecords(change).slice(half.records - change.at))
    else if (change.at === half.records) this.#end(half, change)
    else this.isMissed = true
  }

  #begin(name: string, { fingerprint, own }: Change<'begin'>): void {
    if (this.#half?.name === name) return
    this.#forget(this.#half)
    const { id, host } = this.#of
    const head = JSON.stringify({ id, host: readUploaderHost(host), fingerprint, own })
    const number = this.#next()
    this.#half = { number, name, head, records: 0, state: 'half', base: null, reused: 0, cuts: 0 }
    this.changed.add(this.#half)
  }

  #add(half: TellingRow, records: readonly TranscriptRecord[]): void {
    for (const record of records) {
      const doc = JSON.stringify(record)
      const message = record.kind === 'message' ? toStoredName(record.message.id) : null
      this.rows.push([half.number, half.records, message, Buffer.byteLength(doc), doc])
      half.records += 1
    }
    this.changed.add(half)
  }

  /**
   * Reuses records of a complete upload: those at the beginning stay in its rows, all others are copied. An upload
   * that the same changes modify cannot be reused.
   */
  #same(half: TellingRow, { at, of, from, count }: Change<'same'>): void {
    const present = half.records - at
    if (present >= count) return
    const base = this.#standing((row) => row.name === toStoredName(of))
    if (base === undefined || from + count > base.records) {
      this.isMissed = true
      return
    }
    if (half.records === 0 && from === 0) {
      half.base = base.number
      half.reused = count
    } else {
      const rest = { from: from + present, count: count - present }
      this.copied.push({ into: half.number, at: half.records, of: base.number, ...rest })
    }
    half.records += count - present
    this.changed.add(half)
  }

  #standing(is: (row: TellingRow) => boolean): TellingRow | undefined {
    return [...this.#stored].find((row) => row.state !== 'half' && !this.changed.has(row) && is(row))
  }

  #end(half: TellingRow, { session }: Change<'end'>): void {
    const base = half.base === null ? half : this.#standing(({ number }) => number === half.base)
    if (base === undefined) {
      this.isMissed = true
      return
    }
    this.#over()
    if (base !== half) this.#grow(base, half)
    base.state = 'stands'
    this.changed.add(half).add(base)
    this.#ended.add(base.name)
    this.#half = undefined
    this.ended += 1
    this.stands = {
      telling: base.number,
      last_at: session.last_at ?? session.started_at ?? 0,
      head: base.head,
      session: JSON.stringify(session),
    }
  }

  /** The row that has no records left keeps the older name, which has no effect when it arrives again. */
  #grow(base: TellingRow, half: TellingRow): void {
    const { number, reused } = half
    this.grown.push({ from: number, into: base.number, reused })
    this.rows = this.rows.map(([of, ...row]) => [of === number ? base.number : (of ?? null), ...row])
    const { name, records, cuts } = base
    Object.assign(base, { name: half.name, head: half.head, records: half.records })
    base.cuts = reused < records ? cuts + 1 : cuts
    Object.assign(half, { name, records: 0, state: 'over', base: null, kept: 0 })
  }

  #drop(): void {
    this.#forget(this.#half)
    this.#half = undefined
    this.#over()
    this.stands = undefined
    this.isDropped = true
  }

  /**
   * An upload that finished earlier within these changes is replaced too. Its name is remembered, so that it
   * has no effect when it arrives again.
   */
  #over(): void {
    for (const row of this.changed) if (row.state === 'stands') row.state = 'over'
  }

  #forget(half: TellingRow | undefined): void {
    if (half === undefined) return
    this.rows = this.rows.filter(([of]) => of !== half.number)
    this.copied = this.copied.filter(({ into }) => into !== half.number)
    this.changed.delete(half)
    if (this.#stored.has(half)) this.removed.push(half.number)
  }
}

function toRecords(change: Change<'agent' | 'messages' | 'skipped'>): readonly TranscriptRecord[] {
  switch (change.type) {
    case 'agent':
      return [{ kind: 'agent', agent: change.agent }]
    case 'messages':
      return change.messages.map((message) => ({ kind: 'message', message }))
    case 'skipped':
      return [{ kind: 'skipped', place: change.place, reason: change.reason }]
  }
}
