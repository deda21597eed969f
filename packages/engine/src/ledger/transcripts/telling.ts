import { hostOfTeller, type SessionRef, type TranscriptChange } from '@panoptes/schema'
import type { Cell } from '../postgres/copy.ts'
import type { TranscriptRecord } from './port.ts'
import { storedName } from './tables.ts'

export type TellingState = 'half' | 'stands' | 'over'

/** One telling of a session as its row says. */
export interface ToldRow {
  readonly number: number
  name: string
  head: string
  records: number
  state: TellingState
  /** Of one that is half: in whose rows it goes on at its end, and how many of its records are there already. */
  base: number | null
  kept: number
  /** How often rows of it gave way to others. */
  cuts: number
}

/** Rows that are put after those of another telling, from a number on. */
export interface Grown {
  readonly from: number
  readonly into: number
  readonly kept: number
}

/** Records that are the same as those of another telling. */
export interface Copied {
  readonly into: number
  readonly at: number
  readonly of: number
  readonly from: number
  readonly count: number
}

/** A session that came to its end. */
export interface Ended {
  readonly telling: number
  readonly last_at: number
  readonly head: string
  readonly session: string
}

interface Of extends SessionRef {
  readonly host: string
}

type Told<Type extends TranscriptChange['type']> = Extract<TranscriptChange, { readonly type: Type }>

/** What one host tells of one session, from where it was, and what that comes to. */
export class Telling {
  readonly #of: Of
  readonly #next: () => number
  /** What came to its end: told again it changes nothing. */
  readonly #ended: Set<string>
  #half: ToldRow | undefined
  /** Rows that are there already. */
  readonly #known: ReadonlySet<ToldRow>
  /** Tellings that are new, or not what they were. */
  readonly changed = new Set<ToldRow>()
  /** Tellings that are to be taken out. */
  readonly removed: number[] = []
  rows: Cell[][] = []
  copied: Copied[] = []
  readonly grown: Grown[] = []
  stands: Ended | undefined
  ended = 0
  isDropped = false
  isMissed = false

  /** `next` gives a number for a telling that begins. */
  constructor(of: Of, known: readonly ToldRow[], next: () => number) {
    this.#of = of
    this.#next = next
    this.#known = new Set(known)
    this.#ended = new Set(known.filter(({ state }) => state !== 'half').map(({ name }) => name))
    this.#half = known.find(({ state }) => state === 'half')
  }

  isNew(row: ToldRow): boolean {
    return !this.#known.has(row)
  }

  take(change: TranscriptChange): void {
    if (change.type === 'drop') this.#drop()
    else if (!this.#ended.has(storedName(change.telling))) this.#goOn(change)
    else if (change.type === 'end') this.ended += 1
  }

  #goOn(change: Exclude<TranscriptChange, Told<'drop'>>): void {
    const name = storedName(change.telling)
    const half = this.#half
    if (change.type === 'begin') this.#begin(name, change)
    else if (half?.name !== name || change.at > half.records) this.isMissed = true
    else if (change.type === 'same') this.#same(half, change)
    else if (change.type !== 'end') this.#add(half, recordsOf(change).slice(half.records - change.at))
    else if (change.at === half.records) this.#end(half, change)
    else this.isMissed = true
  }

  #begin(name: string, { fingerprint, own }: Told<'begin'>): void {
    if (this.#half?.name === name) return
    this.#forget(this.#half)
    const { id, host } = this.#of
    const head = JSON.stringify({ id, host: hostOfTeller(host), fingerprint, own })
    const number = this.#next()
    this.#half = { number, name, head, records: 0, state: 'half', base: null, kept: 0, cuts: 0 }
    this.changed.add(this.#half)
  }

  #add(half: ToldRow, records: readonly TranscriptRecord[]): void {
    for (const record of records) {
      const doc = JSON.stringify(record)
      const message = record.kind === 'message' ? storedName(record.message.id) : null
      this.rows.push([half.number, half.records, message, Buffer.byteLength(doc), doc])
      half.records += 1
    }
    this.changed.add(half)
  }

  /** What comes first stays where it is; all else is copied. What changes just now can be neither. */
  #same(half: ToldRow, { at, of, from, count }: Told<'same'>): void {
    const known = half.records - at
    if (known >= count) return
    const base = this.#standing((row) => row.name === storedName(of))
    if (base === undefined || from + count > base.records) {
      this.isMissed = true
      return
    }
    if (half.records === 0 && from === 0) {
      half.base = base.number
      half.kept = count
    } else {
      const rest = { from: from + known, count: count - known }
      this.copied.push({ into: half.number, at: half.records, of: base.number, ...rest })
    }
    half.records += count - known
    this.changed.add(half)
  }

  #standing(is: (row: ToldRow) => boolean): ToldRow | undefined {
    return [...this.#known].find((row) => row.state !== 'half' && !this.changed.has(row) && is(row))
  }

  #end(half: ToldRow, { session }: Told<'end'>): void {
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

  /** The row that has no records any more keeps the older name, which changes nothing when it comes again. */
  #grow(base: ToldRow, half: ToldRow): void {
    const { number, kept } = half
    this.grown.push({ from: number, into: base.number, kept })
    this.rows = this.rows.map(([of, ...row]) => [of === number ? base.number : (of ?? null), ...row])
    const { name, records, cuts } = base
    Object.assign(base, { name: half.name, head: half.head, records: half.records })
    base.cuts = kept < records ? cuts + 1 : cuts
    Object.assign(half, { name, records: 0, state: 'over', base: null, kept: 0 })
  }

  #drop(): void {
    this.#forget(this.#half)
    this.#half = undefined
    this.#over()
    this.stands = undefined
    this.isDropped = true
  }

  /** What ended with these changes too stands no more; its name is remembered, so that it changes nothing when it comes again. */
  #over(): void {
    for (const row of this.changed) if (row.state === 'stands') row.state = 'over'
  }

  #forget(half: ToldRow | undefined): void {
    if (half === undefined) return
    this.rows = this.rows.filter(([of]) => of !== half.number)
    this.copied = this.copied.filter(({ into }) => into !== half.number)
    this.changed.delete(half)
    if (this.#known.has(half)) this.removed.push(half.number)
  }
}

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
