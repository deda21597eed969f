import { isPlainObject } from '@panoptes/schema/plain-object'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { type KeyboardEvent, type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Glyph } from '../../design/glyph.tsx'
import { KeyCap } from '../../design/key-cap.tsx'
import { toast } from '../../design/toast.tsx'
import { twoDigits } from '../../format.ts'
import { useNow } from '../../shell/use-now.ts'
import { words } from '../../words.ts'
import type { Ask } from '../state/run-view.ts'

const w = words.chat.asks
const KEYS: Readonly<Record<string, string>> = { a: 'once', d: 'deny' }

/** A question that waits for the person. Its keys work and are shown only while it has the focus. */
export function AskCard(props: {
  readonly ask: Ask
  readonly name: string
  readonly mayAnswer: boolean
  readonly onAnswer: (request: string, choice: string) => Promise<void>
}) {
  const { ask, name } = props
  const [isSent, setSent] = useState(false)
  const sent = isSent || !props.mayAnswer
  const { card, areKeysMeant } = useCardFocus()
  const answer = async (choice: string) => {
    setSent(true)
    try {
      await props.onAnswer(ask.id, choice)
    } catch (error) {
      setSent(false)
      toast({
        text: words.actions.failed(toVisible(error instanceof Error ? error.message : String(error))),
        tone: 'failed',
      })
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const choice = KEYS[event.key]
    const isPlain = !(event.metaKey || event.ctrlKey || event.altKey)
    if (choice === undefined || !isPlain || sent || !areKeysMeant() || !ask.choices.includes(choice)) return
    event.preventDefault()
    event.stopPropagation()
    void answer(choice)
  }
  const { question, code } = describeAsk(ask)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form
    <div
      ref={card}
      role="group"
      aria-label={w.title(name)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys work only while it has the focus
      tabIndex={0}
      data-ask={ask.id}
      className="group/ask max-w-160 rounded-control border border-waiting bg-waiting/8 px-3 py-2.5"
      onKeyDown={onKeyDown}
    >
      <div className="flex items-center gap-2">
        <Glyph name="waiting" size={14} />
        <h3 className="font-semibold text-waiting">{w.title(name)}</h3>
        <span className="ml-auto text-11 text-text-3">
          {ask.expiresAt !== null && <Countdown until={ask.expiresAt} />}
        </span>
      </div>
      <div className="py-1.5 text-12 wrap-anywhere">
        <p>{question}</p>
        {code !== null && (
          <pre className="max-h-40 overflow-y-auto pt-0.5 text-12 whitespace-pre-wrap">{toVisible(code)}</pre>
        )}
      </div>
      <div className="flex flex-wrap gap-1.5">
        {ask.choices.length === 0 && <p className="text-12 text-text-3">{w.noChoice}</p>}
        {!props.mayAnswer && <p className="w-full text-12 text-text-3">{words.team.ownerAnswers}</p>}
        {ask.choices.map((choice, i) => (
          <Button
            key={choice}
            kind={i === 0 && choice !== 'deny' ? 'main' : 'plain'}
            disabled={sent}
            title={choiceName(ask, choice)}
            onClick={() => void answer(choice)}
          >
            {w.choices[choice] ?? toVisibleLine(choice, 40)}
            {choice === 'once' && <AskKey on={i === 0}>a</AskKey>}
            {choice === 'deny' && <AskKey on={false}>d</AskKey>}
          </Button>
        ))}
      </div>
    </div>
  )
}

/** A question that is over, with its answer. */
export function ClosedAsk({ ask }: { readonly ask: Ask }) {
  const chosen = ask.choice === null ? null : (w.choices[ask.choice] ?? toVisibleLine(ask.choice, 40))
  return (
    <p className="flex max-w-160 items-center gap-2 text-11 text-text-3">
      <Glyph name={chosen === null || ask.choice === 'deny' ? 'unknown' : 'done'} size={12} />
      <span className="min-w-0 truncate" title={toVisible(ask.label)}>
        {toVisibleLine(ask.label, 120)} · {chosen === null ? w.unanswered : w.answered(chosen)}
      </span>
    </p>
  )
}

/** The runtime's own name for a choice. */
function choiceName({ detail }: Ask, choice: string): string | undefined {
  const name = isPlainObject(detail.names) ? detail.names[choice] : undefined
  return typeof name === 'string' ? toVisibleLine(name, 120) : undefined
}

/** A key cap on gold uses the ink for gold. */
const AskKey = ({ on, children }: { readonly on: boolean; readonly children: string }) => (
  <span className="hidden group-focus-within/ask:inline-flex touch:hidden!">
    {on ? (
      <kbd className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-tag border border-gold-ink/40 px-1 text-11">
        {children}
      </kbd>
    ) : (
      <KeyCap>{children}</KeyCap>
    )}
  </span>
)

function Countdown({ until }: { readonly until: number }) {
  const now = useNow()
  const seconds = Math.max(0, Math.ceil((until - now) / 1_000))
  return w.until(`${Math.floor(seconds / 60)}:${twoDigits(seconds % 60)}`)
}

const LONGEST = 4_000
const FIELDS = ['command', 'cmd', 'path', 'file_path', 'url', 'query'] as const

/** Describes the request and shows exactly what would run. */
function describeAsk({ label, detail }: Ask): {
  readonly question: string
  readonly code: string | null
} {
  const input = detail.input ?? detail.arguments ?? detail
  const exact =
    typeof input === 'string' ? input : isPlainObject(input) ? exactInput(input, input === detail) : null
  const code = exact === null || label.includes(exact) ? null : exact.slice(0, LONGEST)
  return { question: toVisible(label), code }
}

function exactInput(fields: Readonly<Record<string, unknown>>, isDetail: boolean): string | null {
  const one = FIELDS.map((name) => fields[name]).find((value) => typeof value === 'string' && value !== '')
  if (typeof one === 'string') return one
  return isDetail || Object.keys(fields).length === 0 ? null : JSON.stringify(fields, null, 2)
}

/** A key pressed just before the question appeared was meant for something else. */
const UNMEANT_MS = 700

/** Takes the focus unless the person is typing, and returns it when the question is over. */
function useCardFocus(): {
  readonly card: RefObject<HTMLDivElement | null>
  readonly areKeysMeant: () => boolean
} {
  const card = useRef<HTMLDivElement>(null)
  const cameAt = useRef(Number.NEGATIVE_INFINITY)
  useLayoutEffect(() => {
    const own = card.current
    const from = document.activeElement
    if (own === null || !isFree(from)) return
    cameAt.current = performance.now()
    own.focus({ preventScroll: true })
    return () => {
      if (from instanceof HTMLTextAreaElement && own.contains(document.activeElement)) from.focus()
    }
  }, [])
  const areKeysMeant = useCallback(() => performance.now() - cameAt.current > UNMEANT_MS, [])
  return { card, areKeysMeant }
}

const isFree = (element: Element | null): boolean =>
  element === null ||
  element === document.body ||
  (element instanceof HTMLTextAreaElement && element.value === '')
