import type { RefObject } from 'react'
import { useKeys } from '../shell/use-keys.ts'

/** The keys of the page; those of a field or a question that has the focus are its own. */
export function useChatKeys(on: {
  readonly rows: readonly { readonly id: string }[]
  readonly id: string | null
  readonly isRunning: boolean
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly find: RefObject<HTMLInputElement | null>
  readonly onOpen: (id: string) => void
  readonly onFresh: () => void
  readonly onStop: () => void
  readonly onClose: () => void
}): void {
  const at = on.rows.findIndex(({ id }) => id === on.id)
  const step = (by: number) => () => {
    const next = on.rows[at < 0 ? 0 : at + by]
    if (next) on.onOpen(next.id)
  }
  useKeys({
    '/': () => on.find.current?.focus(),
    i: () => on.field.current?.focus(),
    c: on.onFresh,
    j: step(1),
    k: step(-1),
    a: toQuestion,
    d: toQuestion,
    Escape: () => (on.isRunning ? on.onStop() : on.onClose()),
  })
}

/** The first press only goes there: nothing is allowed by a key that was meant for something else. */
const toQuestion = (): void => document.querySelector<HTMLElement>('[data-ask]')?.focus()
