import { onTestFinished } from 'vitest'
import { commands } from 'vitest/browser'

const COARSE = '(pointer: coarse)'

interface Media {
  readonly colorScheme?: 'dark' | 'light' | null
  readonly reducedMotion?: 'reduce' | 'no-preference' | null
}

declare module 'vitest/browser' {
  interface BrowserCommands {
    /** Emulates the preferred theme or reduced motion. */
    emulateMedia: (media: Media) => Promise<void>
  }
}

export { commands }

/**
 * Styles the page for touch until the end of the test. It changes the style sheets, because after touch emulation the
 * browser keeps reporting that nothing can hover.
 */
export function emulateTouch(): void {
  const changed = [...document.styleSheets].flatMap((sheet) => mediaRules(sheet.cssRules))
  if (changed.length === 0) throw new Error(`no style of the page is for ${COARSE}`)
  for (const rule of changed) rule.media.mediaText = 'all'
  onTestFinished(() => {
    for (const rule of changed) rule.media.mediaText = COARSE
  })
}

function mediaRules(rules: CSSRuleList): CSSMediaRule[] {
  return [...rules].flatMap((rule) => {
    if (rule instanceof CSSMediaRule && rule.conditionText === COARSE) return [rule]
    return 'cssRules' in rule ? mediaRules(rule.cssRules as CSSRuleList) : []
  })
}

/** Returns the accessible name of the focused element and whether it has a visible focus ring. */
export function readFocus(): { readonly name: string; readonly hasRing: boolean } | null {
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
