import type { MoaTurn, TurnSlot } from '@panoptes/schema'
import { duration, plural } from '../../terminal/format.ts'
import { dollars } from '../sessions/format.ts'

/** Shortens an id to a usable prefix. */
export const shortId = (id: string): string => id.slice(0, 8)

export function moneyText(micro: number, unknown: number): string {
  if (unknown === 0) return dollars(micro)
  return micro === 0 ? '–' : `${dollars(micro)} + ${unknown} unknown`
}

export const timeText = (ms: number | null): string =>
  ms === null ? '–' : ms < 10_000 && ms >= 1_000 ? `${(ms / 1_000).toFixed(1)} s` : duration(ms)

const turnDuration = ({ started_at, ended_at }: MoaTurn): number | null =>
  ended_at === null ? null : ended_at - started_at

export const countSlots = (slots: readonly TurnSlot[], role: TurnSlot['role']): number =>
  slots.filter((slot) => slot.role === role).length

/** Summarizes time, tokens and cost of a turn in one line. */
export function spentText(turn: MoaTurn): string {
  const failed = turn.slots.filter(({ role, error }) => role === 'reference' && error !== null).length
  return [
    `turn ${shortId(turn.id)}`,
    plural(countSlots(turn.slots, 'reference'), 'reference'),
    ...(failed > 0 ? [`${failed} failed`] : []),
    timeText(turnDuration(turn)),
    moneyText(turn.cost_micro_usd, turn.cost_unknown),
  ].join(' · ')
}

export const turnTime = (turn: MoaTurn): string => timeText(turnDuration(turn))
