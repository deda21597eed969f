import type { ErrorClass, MoaTurn, TurnSlot } from '@panoptes/schema'
import type { GlyphName } from '../design/glyph.tsx'
import * as f from '../format.ts'
import { type Family, modelFamily } from '../live/model/names.ts'
import { words } from '../words.ts'
import { countAdvice } from './preset-slots.ts'

const MICRO = 1_000_000
const SHORT_ID = 8

/** The letter of a reference, from its place in the preset; a number after Z. */
export const referenceLetter = (place: number): string =>
  place < 26 ? String.fromCharCode(65 + place) : String(place + 1)

/** Formats the cost of a call. An unknown cost is a dash and never $0. */
export const costText = (micro: number | null): string =>
  micro === null ? words.unknown : f.money(micro / MICRO)

/** Formats the known part of a sum; a dash if nothing is known. */
export const sumText = (micro: number, unknown: number): string =>
  micro === 0 && unknown > 0 ? words.unknown : f.money(micro / MICRO)

/** The same sum as a number for CSV files; null if no price is known. */
export const sumInUsd = (micro: number, unknown: number): number | null =>
  micro === 0 && unknown > 0 ? null : micro / MICRO

export const elapsedMs = ({
  started_at,
  ended_at,
}: Pick<TurnSlot, 'started_at' | 'ended_at'>): number | null =>
  ended_at === null ? null : Math.max(0, ended_at - started_at)

export const firstTokenMs = ({
  started_at,
  first_token_at,
}: Pick<TurnSlot, 'started_at' | 'first_token_at'>): number | null =>
  first_token_at === null ? null : Math.max(0, first_token_at - started_at)

/** Formats all input tokens, cached or not, and the output tokens; a dash if they were not reported. */
export function tokensText(usage: TurnSlot['usage']): string {
  if (usage === null) return words.unknown
  return `${shortTokens(inputTokens(usage))} / ${shortTokens(usage.output_tokens)}`
}

export const inputTokens = (usage: NonNullable<TurnSlot['usage']>): number =>
  usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens

/** Formats token counts such as 412, 6.1k, 41k and 1.2M. */
export function shortTokens(value: number): string {
  if (value < 1_000) return f.count(value)
  return value < 9_950 ? `${(value / 1_000).toFixed(1).replace(/\.0$/, '')}k` : f.shortCount(value)
}

/** Formats aggregator calls: 1, or 1 + 19 for the first call and later ones. */
export const callsText = (iterations: number): string =>
  iterations <= 1 ? f.count(iterations) : `1 + ${f.count(iterations - 1)}`

/** Formats calls such as 2 + 1: reference calls, then aggregator calls. */
export const allCallsText = ({ slots }: Pick<MoaTurn, 'slots'>): string => {
  const acting = slots.filter(({ role }) => role === 'aggregator').length
  return `${f.count(slots.length - acting)} + ${f.count(acting)}`
}

export const shortId = (id: string): string => id.slice(0, SHORT_ID)

/** Reads the model from a label, which is `provider:model`, optionally with a reasoning effort. */
export const modelIn = (label: string): string =>
  label.replace(/^[^:]*:/, '').replace(/\[reasoning=[^\]]*\]$/, '') || label

export const familyOfSlot = ({ model }: { readonly model: string }): Family => modelFamily(model)

export const familyColor = (family: Family | 'main'): string =>
  family === 'main' ? 'var(--gold)' : `var(--${family})`

const statusGlyphs: Readonly<Record<MoaTurn['status'], GlyphName>> = {
  running: 'working',
  done: 'done',
  failed: 'failed',
  aborted: 'unknown',
}
export const statusGlyph = (turn: TurnResult): GlyphName =>
  isUnadvised(turn) ? 'stuck' : statusGlyphs[turn.status]

export const statusText = (turn: TurnResult): string =>
  isUnadvised(turn) ? words.moa.unadvised : words.moa.statuses[turn.status]

type TurnResult = Pick<MoaTurn, 'status' | 'slots'>

/** A finished turn without any advice did not do what the preset asked for. */
function isUnadvised(turn: TurnResult): boolean {
  const { good, all } = countAdvice(turn)
  return turn.status === 'done' && all > 0 && good === 0
}

/** References that were skipped or stopped did not fail. */
export const errorGlyph = (error: { readonly class: ErrorClass } | null): GlyphName =>
  error === null ? 'done' : error.class === 'skipped' || error.class === 'aborted' ? 'unknown' : 'failed'
