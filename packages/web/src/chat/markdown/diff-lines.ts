const MOST = 2_000

/** Whether lines of code are changes: by their name, or because they say so themselves. */
export function isDiff(language: string, lines: readonly string[]): boolean {
  if (/^(?:diff|patch)$/i.test(language)) return true
  if (lines.length > MOST) return false
  return (
    lines.some((line) => /^@@ -\d+(?:,\d+)? \+\d+/.test(line)) || lines[0]?.startsWith('diff --git ') === true
  )
}

/** The sign in front stays in the line: colour alone says nothing. */
export function lookOf(line: string): 'added' | 'removed' | 'about' | 'same' {
  if (/^(?:@@|diff |index |\+\+\+|---|\/\/|#)/.test(line)) return 'about'
  if (line.startsWith('+')) return 'added'
  return line.startsWith('-') ? 'removed' : 'same'
}
