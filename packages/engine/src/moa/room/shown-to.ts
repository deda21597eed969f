import type { MoaTurn } from '@panoptes/schema'

/** Who looks; undefined on a computer of one's own, where everything is theirs. */
export type Who = string | undefined

/** A turn as somebody may see it: of another's question no words, only that it ran and what it took. */
export function shownTo(who: Who, turn: MoaTurn): MoaTurn {
  if (turn.owner === undefined || who === undefined || turn.owner === who) return turn
  const { owner: _owner, trace_problem: _problem, ...rest } = turn
  return {
    ...rest,
    question: '',
    traced: false,
    // A provider may repeat what it was sent.
    slots: turn.slots.map((slot) =>
      slot.error === null ? slot : { ...slot, error: { ...slot.error, message: '' } },
    ),
    of_other: true,
  }
}
