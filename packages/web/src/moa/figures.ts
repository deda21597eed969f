import type { ErrorClass, MoaTurn, TurnSlot } from '@panoptes/schema'
import type { GlyphName } from '../design/glyph.tsx'
import * as f from '../format.ts'
import { type Family, familyOf } from '../live/model/names.ts'
import { words } from '../words.ts'
import { adviceOf } from './places.ts'

const MICRO = 1_000_000
const SHORT_ID = 8

/** The letter a reference goes by on this page: its place in the preset. */
export const letterOf = (place: number): string =>
  place < 26 ? String.fromCharCode(65 + place) : String(place + 1)

/** What a call cost; unknown is no nothing. */
export const costText = (micro: number | null): string =>
  micro === null ? words.unknown : f.money(micro / MICRO)

/** What is known of a sum of which some is not. */
export const sumText = (micro: number, unknown: number): string =>
  micro === 0 && unknown > 0 ? words.unknown : f.money(micro / MICRO)

export const timeOf = ({ started_at, ended_at }: Pick<TurnSlot, 'started_at' | 'ended_at'>): number | null =>
  ended_at === null ? null : Math.max(0, ended_at - started_at)

export const firstOf = ({
  started_at,
  first_token_at,
}: Pick<TurnSlot, 'started_at' | 'first_token_at'>): number | null =>
  first_token_at === null ? null : Math.max(0, first_token_at - started_at)

export const timeText = (ms: number | null): string => (ms === null ? words.unknown : f.duration(ms))

/** All that went in, from a cache or not, and what came out; unknown where nobody told. */
export function tokensText(usage: TurnSlot['usage']): string {
  if (usage === null) return words.unknown
  return `${shortTokens(inputOf(usage))} / ${shortTokens(usage.output_tokens)}`
}

export const inputOf = (usage: NonNullable<TurnSlot['usage']>): number =>
  usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens

/** 412, 6.1k, 41k, 1.2M */
export function shortTokens(value: number): string {
  if (value < 1_000) return f.count(value)
  return value < 9_950 ? `${(value / 1_000).toFixed(1).replace(/\.0$/, '')}k` : f.shortCount(value)
}

/** 1, or 1 + 19: the first call of the acting model, and how often it went on. */
export const callsText = (iterations: number): string =>
  iterations <= 1 ? f.count(iterations) : `1 + ${f.count(iterations - 1)}`

/** 2 + 1: calls of references, and of the acting model. */
export const allCallsText = ({ slots }: Pick<MoaTurn, 'slots'>): string => {
  const acting = slots.filter(({ role }) => role === 'aggregator').length
  return `${f.count(slots.length - acting)} + ${f.count(acting)}`
}

export const shortId = (id: string): string => id.slice(0, SHORT_ID)

/** The model that a label names: provider:model, and with how much thought. */
export const modelIn = (label: string): string =>
  label.replace(/^[^:]*:/, '').replace(/\[reasoning=[^\]]*\]$/, '') || label

export const familyOfSlot = ({ model }: { readonly model: string }): Family => familyOf(model)

export const colorOf = (family: Family | 'main'): string =>
  family === 'main' ? 'var(--gold)' : `var(--${family})`

const statusGlyphs: Readonly<Record<MoaTurn['status'], GlyphName>> = {
  running: 'working',
  done: 'done',
  failed: 'failed',
  aborted: 'unknown',
}
export const statusGlyph = (turn: Ended): GlyphName =>
  isUnadvised(turn) ? 'stuck' : statusGlyphs[turn.status]

export const statusText = (turn: Ended): string =>
  isUnadvised(turn) ? words.moa.unadvised : words.moa.statuses[turn.status]

type Ended = Pick<MoaTurn, 'status' | 'slots'>

/** An answer to which nobody advised is not what was asked for. */
function isUnadvised(turn: Ended): boolean {
  const { good, all } = adviceOf(turn)
  return turn.status === 'done' && all > 0 && good === 0
}

/** Not asked, or stopped, is not failed. */
export const errorGlyph = (error: { readonly class: ErrorClass } | null): GlyphName =>
  error === null ? 'done' : error.class === 'skipped' || error.class === 'aborted' ? 'unknown' : 'failed'
