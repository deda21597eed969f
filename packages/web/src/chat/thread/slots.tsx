import type { StoredChatMessage } from '@panoptes/schema'
import { memo, useLayoutEffect, useRef } from 'react'
import { useNear } from '../../sessions/transcript/use-near.ts'
import { words } from '../../words.ts'
import { titleIn } from '../runtimes.ts'
import type { ChatRow } from '../state/rows.ts'
import { Answer, type AnswerActions } from './answer.tsx'
import { SwitchLine } from './switch-line.tsx'
import { UserMessage } from './user-message.tsx'

/** So many messages are drawn or left out together. */
const SLOT = 8
/** What one message takes before it was drawn. */
const GUESS = 110

export interface ThreadActions extends AnswerActions {
  readonly onEdit: (message: StoredChatMessage) => void
}

export const slotId = (at: number): string => `messages-${Math.floor(at / SLOT)}`

/** The messages of a conversation. Only those near what is seen are drawn, and always the last. */
export function Slots(props: {
  readonly rows: readonly ChatRow[]
  readonly scroll: HTMLElement | null
  readonly actions: ThreadActions
}) {
  const { rows } = props
  const count = Math.ceil(rows.length / SLOT)
  return Array.from({ length: count }, (_, at) => (
    <Slot
      // biome-ignore lint/suspicious/noArrayIndexKey: a slot is its place
      key={at}
      at={at}
      rows={rows.slice(at * SLOT, (at + 1) * SLOT)}
      isLast={at >= count - 3}
      scroll={props.scroll}
      actions={props.actions}
    />
  ))
}

interface SlotProps {
  readonly at: number
  readonly rows: readonly ChatRow[]
  readonly isLast: boolean
  readonly scroll: HTMLElement | null
  readonly actions: ThreadActions
}

const Slot = memo(
  function Slot({ at, rows, isLast, scroll, actions }: SlotProps) {
    const [box, { near, height }] = useNear(scroll)
    const isDrawn = near || isLast
    const guess = height ?? rows.length * GUESS
    const guessed = useRef(guess)
    useLayoutEffect(() => {
      const own = box.current
      if (!own || !scroll) return
      // What is read below it must not move when it takes its own height.
      if (isDrawn && own.getBoundingClientRect().top < scroll.getBoundingClientRect().top)
        scroll.scrollTop += own.offsetHeight - guessed.current
      guessed.current = guess
    }, [box, scroll, isDrawn, guess])
    if (!isDrawn) return <div ref={box} id={slotId(at * SLOT)} style={{ height: guess }} />
    return (
      <div ref={box} id={slotId(at * SLOT)} className="flex flex-col gap-3.5 pb-3.5">
        {rows.map((row) => (
          <Row key={row.key} row={row} actions={actions} />
        ))}
      </div>
    )
  },
  (before, now) =>
    before.isLast === now.isLast &&
    before.scroll === now.scroll &&
    before.actions === now.actions &&
    before.rows.length === now.rows.length &&
    before.rows.every((row, i) => row === now.rows[i]),
)

const Row = memo(function Row({ row, actions }: { readonly row: ChatRow; readonly actions: ThreadActions }) {
  if (row.kind === 'user')
    return (
      <UserMessage
        message={row.message}
        canEdit={row.isStored && !actions.isBusy && actions.mayTell}
        onEdit={actions.onEdit}
      />
    )
  return (
    <>
      {row.given !== null && (
        <SwitchLine>
          {words.chat.thread.given(titleIn(actions.runtimes, row.message.runtime), row.given)}
        </SwitchLine>
      )}
      <Answer row={row} actions={actions} />
    </>
  )
})
