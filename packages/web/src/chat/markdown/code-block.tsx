import { toVisibleLine } from '@panoptes/schema/shown'
import { memo, useState } from 'react'
import { CopyButton } from '../../design/copy-button.tsx'
import { words } from '../../words.ts'

const w = words.chat.markdown
const FIRST_LINES = 400

/** Shows code with a copy button; diffs get their signs and colors. */
export const CodeBlock = memo(function CodeBlock(props: {
  readonly language: string
  readonly text: string
}) {
  const { text } = props
  const [isWhole, setIsWhole] = useState(false)
  const language = toVisibleLine(props.language, 40)
  const lines = text.split('\n')
  const rest = lines.length - FIRST_LINES
  const shown = isWhole || rest <= 0 ? lines : lines.slice(0, FIRST_LINES)
  return (
    <figure className="relative min-w-0 rounded-control border border-line bg-app">
      <figcaption className="sr-only">{language === '' ? w.code : w.codeIn(language)}</figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
        tabIndex={0}
        className="scroll-cue overflow-x-auto rounded-control px-3 py-2 text-12 leading-[19px] text-text"
      >
        <code>{isDiff(language, shown) ? <DiffCode lines={shown} /> : shown.join('\n')}</code>
      </pre>
      {!isWhole && rest > 0 && (
        <button
          type="button"
          className="px-3 pb-2 text-12 text-gold-text hover:underline touch:h-11"
          onClick={() => setIsWhole(true)}
        >
          {words.transcript.linesLeftOut(rest)}
        </button>
      )}
      <span className="absolute top-1 right-1 rounded-control bg-app">
        <CopyButton text={text} label={w.copyCode} iconOnly kind="quiet" />
      </span>
    </figure>
  )
})

const LOOKS = { added: 'text-done', removed: 'text-failed', about: 'text-text-3', same: '' } as const

function DiffCode({ lines }: { readonly lines: readonly string[] }) {
  return lines.map((line, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its position
    <span key={i} className={LOOKS[lineKind(line)]}>
      {line}
      {i < lines.length - 1 && '\n'}
    </span>
  ))
}

const MOST = 2_000

/** Whether a code block is a diff, by its language or its content. */
export function isDiff(language: string, lines: readonly string[]): boolean {
  if (/^(?:diff|patch)$/i.test(language)) return true
  if (lines.length > MOST) return false
  return (
    lines.some((line) => /^@@ -\d+(?:,\d+)? \+\d+/.test(line)) || lines[0]?.startsWith('diff --git ') === true
  )
}

/** The leading sign stays in the line because color alone would not tell added from removed. */
export function lineKind(line: string): 'added' | 'removed' | 'about' | 'same' {
  if (/^(?:@@|diff |index |\+\+\+|---|\/\/|#)/.test(line)) return 'about'
  if (line.startsWith('+')) return 'added'
  return line.startsWith('-') ? 'removed' : 'same'
}
