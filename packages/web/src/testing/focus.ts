/** What has the focus: its accessible name, as far as the page gives one, and whether a ring shows it. */
export function focused(): { readonly name: string; readonly hasRing: boolean } | null {
  const element = document.activeElement
  if (!(element instanceof HTMLElement) || element === document.body) return null
  return {
    name: element.getAttribute('aria-label') ?? element.textContent ?? '',
    // A ring may be drawn by what is around a control: its label, or the box of a field.
    hasRing: [element, element.closest('label'), element.parentElement].some(drawsRing),
  }
}

const drawsRing = (element: Element | null): boolean =>
  element !== null &&
  [undefined, '::after'].some((part) => {
    const style = getComputedStyle(element, part)
    return style.outlineStyle === 'solid' && style.outlineWidth === '2px'
  })
