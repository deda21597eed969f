/** Returns the accessible name of the focused element and whether it has a visible focus ring. */
export function focused(): { readonly name: string; readonly hasRing: boolean } | null {
  const element = document.activeElement
  if (!(element instanceof HTMLElement) || element === document.body) return null
  return {
    name: element.getAttribute('aria-label') ?? element.textContent ?? '',
    // The ring may be on an element around the control: its label, or the box of a field.
    hasRing: [element, element.closest('label'), element.parentElement].some(drawsRing),
  }
}

const drawsRing = (element: Element | null): boolean =>
  element !== null &&
  [undefined, '::after'].some((part) => {
    const style = getComputedStyle(element, part)
    return style.outlineStyle === 'solid' && style.outlineWidth === '2px'
  })
