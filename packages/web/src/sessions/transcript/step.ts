const NEAR = 6

/** Scrolls to the next or the previous of what a selector finds, as seen from the top of what scrolls. */
export function stepTo(box: HTMLElement | null, selector: string, by: 1 | -1): void {
  const scroll = box?.querySelector('[data-scroll]')
  if (!scroll) return
  const top = scroll.getBoundingClientRect().top
  const away = (one: Element) => one.getBoundingClientRect().top - top
  const all = [...scroll.querySelectorAll(selector)]
  const next = by > 0 ? all.find((one) => away(one) > NEAR) : all.findLast((one) => away(one) < -NEAR)
  if (next) scroll.scrollTop += away(next) - NEAR / 2
}
