const NEAR = 6
const ENTRIES = '[data-entry], [data-unread]'

/** The message to go to from the one keys act on, or from the top of what is seen. What is not drawn yet is brought into view. */
export function stepTo(scroll: HTMLElement | null, current: number | null, by: 1 | -1): number | null {
  if (!scroll) return null
  const top = scroll.getBoundingClientRect().top
  const away = (one: Element) => one.getBoundingClientRect().top - top
  const all = [...scroll.querySelectorAll<HTMLElement>(ENTRIES)]
  const at = current === null ? -1 : all.findIndex((one) => one.dataset.entry === String(current))
  const next =
    at >= 0
      ? all[at + by]
      : by > 0
        ? all.find((one) => away(one) > -NEAR)
        : all.findLast((one) => away(one) < -NEAR)
  if (!next) return null
  if (next.dataset.entry === undefined) scroll.scrollTop += away(next) - NEAR
  else {
    next.scrollIntoView({ block: 'nearest' })
    // So that it is also read out.
    next.focus({ preventScroll: true })
  }
  return next.dataset.entry === undefined ? null : Number(next.dataset.entry)
}

/** The first message that is seen whole. */
export function topOf(scroll: HTMLElement | null): number {
  if (!scroll) return 0
  const top = scroll.getBoundingClientRect().top
  const all = [...scroll.querySelectorAll<HTMLElement>('[data-entry]')]
  return Number(all.find((one) => one.getBoundingClientRect().top >= top - NEAR)?.dataset.entry ?? 0)
}

/** Opens or closes all the folds of a message. */
export function foldOf(scroll: HTMLElement | null, n: number): void {
  const folds = [...(scroll?.querySelectorAll<HTMLElement>(`[data-fold-of="${n}"]`) ?? [])]
  const isOpen = (one: HTMLElement | undefined) => one?.ariaExpanded === 'true'
  const open = isOpen(folds[0])
  for (const fold of folds) if (isOpen(fold) === open) fold.click()
}
