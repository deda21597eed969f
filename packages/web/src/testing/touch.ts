import { onTestFinished } from 'vitest'

const COARSE = '(pointer: coarse)'

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
