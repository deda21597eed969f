import { memo, useEffect, useLayoutEffect, useRef } from 'react'
import { words } from '../../words.ts'
import { keepPlace } from './keep-place.ts'
import { pageOf } from './pages.ts'
import { useReading } from './reading.ts'
import { turnsOf } from './runs.ts'
import { TurnBlock } from './turn.tsx'
import { useNear } from './use-near.ts'

/** So many messages are drawn or left out together. */
const SLOT = 100
/** What one message takes on the screen, before it was drawn: results stand with their calls and take nothing. */
const GUESS = 36

export const slotId = (agent: string, n: number): string => `slot-${agent}-${Math.floor(n / SLOT)}`

/** The messages of an agent between two places. Only those near what is seen are read and drawn. */
export function Slots(props: { readonly agent: string; readonly first: number; readonly last: number }) {
  const { agent, first, last } = props
  const from = Math.floor(first / SLOT)
  const slots = Array.from({ length: Math.max(0, Math.floor(last / SLOT) - from + 1) }, (_, i) => from + i)
  const most = Math.min(SLOT, last - first + 1)
  return slots.map((at) => <Slot key={at} agent={agent} at={at} most={most} />)
}

const Slot = memo(function Slot(props: {
  readonly agent: string
  readonly at: number
  readonly most: number
}) {
  const { agent, at } = props
  const { arranged, isRead, want, scroll } = useReading()
  const [box, { near, height }] = useNear(scroll)
  const page = pageOf(at * SLOT)
  const isThere = isRead(page)
  useEffect(() => {
    if (near) want(page)
  }, [near, page, want])
  const id = slotId(agent, at * SLOT)
  const isDrawn = near && isThere
  const guess = height ?? props.most * GUESS
  const guessed = useRef(guess)
  useLayoutEffect(() => {
    const own = box.current
    if (!own || !scroll) return
    if (isDrawn) keepPlace(scroll, own, own.offsetHeight - guessed.current)
    guessed.current = guess
  }, [box, scroll, isDrawn, guess])
  if (!isDrawn)
    return (
      <div ref={box} id={id} data-unread="" className="text-12 text-text-3" style={{ height: guess }}>
        {near && words.transcript.readingMore}
      </div>
    )
  const thread = arranged.threads.get(agent)
  const entries = thread?.entries.filter(({ n }) => Math.floor(n / SLOT) === at) ?? []
  return (
    <div ref={box} id={id}>
      {thread &&
        turnsOf(entries).map((turn) => <TurnBlock key={turn[0]?.n} turn={turn} agent={thread.agent} />)}
    </div>
  )
})
