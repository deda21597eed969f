import type { RefObject } from 'react'
import { useKeys } from '../shell/use-keys.ts'

/** Keys go from card to card. */
export function useCardKeys(
  list: RefObject<HTMLElement | null>,
  on: {
    readonly fold: (id: string) => void
    readonly rescan: () => void
    readonly share: (id: string) => void
  },
): void {
  const cards = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-card]') ?? [])]
  const current = () => document.activeElement?.closest<HTMLElement>('[data-card]')
  const step = (by: 1 | -1) => () => {
    const all = cards()
    const card = current()
    const at = card ? all.indexOf(card) + by : 0
    all[Math.min(Math.max(0, at), all.length - 1)]?.focus()
  }
  const onCurrent = (run: (id: string) => void) => () => {
    const id = current()?.dataset.card
    if (id !== undefined) run(id)
  }
  useKeys({ j: step(1), k: step(-1), o: onCurrent(on.fold), s: onCurrent(on.share), r: on.rescan })
}
