import type { EventInput } from '@panoptes/schema'
import type { Beat, Life } from './stage.ts'

interface Turn {
  readonly at: number
  readonly order: number
  readonly life: Life
  readonly beat: Beat
}

/** Plays many lives against one clock and gives what they say, in the order of time. */
export function* schedule(first: Life, clock: { now: number }): Generator<EventInput, void, undefined> {
  const heap: Turn[] = []
  let order = 0
  const resume = (life: Life): void => {
    const next = life.next()
    if (next.done) return
    order += 1
    push(heap, { at: clock.now + Math.round(next.value.after), order, life, beat: next.value })
  }
  resume(first)
  for (let turn = pop(heap); turn; turn = pop(heap)) {
    clock.now = turn.at
    if (turn.beat.event) yield { ...turn.beat.event, ts: turn.at }
    if (turn.beat.begin) resume(turn.beat.begin)
    resume(turn.life)
  }
}

const before = (a: Turn, b: Turn): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

function push(heap: Turn[], turn: Turn): void {
  let place = heap.length
  heap.push(turn)
  while (place > 0) {
    const above = (place - 1) >> 1
    const parent = heap[above]
    if (!parent || before(parent, turn)) break
    heap[place] = parent
    place = above
  }
  heap[place] = turn
}

function pop(heap: Turn[]): Turn | undefined {
  const top = heap[0]
  const last = heap.pop()
  if (!top || !last || heap.length === 0) return top
  let place = 0
  for (;;) {
    const left = heap[place * 2 + 1]
    const right = heap[place * 2 + 2]
    const child = left && right && before(right, left) ? right : left
    if (!child || before(last, child)) break
    heap[place] = child
    place = place * 2 + (child === right ? 2 : 1)
  }
  heap[place] = last
  return top
}
