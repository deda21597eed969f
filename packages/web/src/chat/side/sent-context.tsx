import type { ContextSection } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Icon } from '../../design/icon.tsx'
import { Strip } from '../../design/strip.tsx'
import * as f from '../../format.ts'
import { linkClass } from '../../ledger/place-link.tsx'
import { errorText } from '../../sessions/strips.tsx'
import { Text } from '../../sessions/transcript/text.tsx'
import { words } from '../../words.ts'
import { contextQuery } from '../queries.ts'
import type { ContextView } from '../state/details.ts'
import { Section } from './section.tsx'
import { sumSections } from './sent-context-view.ts'

const w = words.chat
const s = words.chat.side
const WHOLE = { n: 0, at: 0 }

/** The context sent with a message by section: its size, what was left out, and why a section is missing. */
export function Sent(props: {
  readonly context: ContextView | null
  /** The message it belongs to, if that is not the newest. */
  readonly of: string | null
  readonly isGone: boolean
  readonly onLatest: () => void
  readonly onOpen: (() => void) | null
}) {
  const { context } = props
  const head = props.of !== null && (
    <p className="flex items-center gap-2 pt-1 text-11 text-text-3">
      <span className="flex-1">{props.of}</span>
      <button type="button" className={`${linkClass} touch:h-11`} onClick={props.onLatest}>
        {w.side.latest}
      </button>
    </p>
  )
  if (context === null)
    return (
      <Section title={w.side.sent}>
        {head}
        <p className="text-11 text-text-3">{props.isGone ? w.side.sentGone : w.side.sentNone}</p>
      </Section>
    )
  const { tokens, leftOut, most } = sumSections(context.sections)
  const has = (key: string) => context.sections.some((section) => section.key === key)
  return (
    <Section
      title={w.side.sent}
      end={<span title={w.side.sentUnit}>{w.side.sentTokens(tokens, context.budget)}</span>}
    >
      {head}
      <ul>
        {context.sections.map((section) => (
          <SectionRow key={section.key} section={section} most={most} />
        ))}
        {!has('skills') && (
          <Row
            title={w.side.skills}
            items={
              context.skills.length === 0
                ? w.side.noSkills
                : w.side.items(context.skills.length, context.skillsLeftOut)
            }
          />
        )}
        {!has('template') && (
          <Row
            title={w.side.template}
            items={context.template === null ? w.side.none : toVisibleLine(context.template, 40)}
          />
        )}
      </ul>
      <Skills context={context} />
      <p className="flex min-h-6.5 items-center gap-2 pt-1 text-11">
        {props.onOpen !== null && (
          <button type="button" className={`${linkClass} touch:h-11`} onClick={props.onOpen}>
            {w.side.openAsSent}
          </button>
        )}
        <span className="flex-1" />
        {leftOut > 0 && <span className="text-text-3">{w.side.leftOutMany(leftOut)}</span>}
      </p>
    </Section>
  )
}

function SectionRow({ section, most }: { readonly section: ContextSection; readonly most: number }) {
  const { title, status, items, left_out, tokens, truncated, note } = section
  // A section without text was not sent, even if its items were considered.
  const isThere = status === 'ok' && tokens > 0
  const about = isThere
    ? [items === 0 && left_out === 0 ? '' : w.side.items(items, left_out), truncated ? w.side.cut : '']
        .filter(Boolean)
        .join(', ')
    : w.side.status[status] || w.side.none
  return (
    <Row
      title={toVisibleLine(title, 60)}
      items={about ?? ''}
      isMissed={status === 'unavailable'}
      {...(isThere ? { tokens, most } : {})}
      note={note ?? null}
    />
  )
}

function Row(props: {
  readonly title: string
  readonly items: string
  readonly tokens?: number
  readonly most?: number
  readonly isMissed?: boolean
  readonly note?: string | null
}) {
  const { tokens, most = 1, isMissed = false, note = null } = props
  return (
    <li className="py-0.5">
      <div className="flex min-h-5.5 items-center gap-2 text-12">
        <span className="w-28 shrink-0 truncate" title={props.title}>
          {props.title}
        </span>
        <span
          className={`flex min-w-0 flex-1 items-center gap-1 text-11 whitespace-nowrap ${isMissed ? 'text-stuck' : 'text-text-3'}`}
        >
          {isMissed && <Icon name="close" size={10} />}
          <span className="truncate">{props.items}</span>
        </span>
        {tokens !== undefined && (
          <span aria-hidden="true" className="h-1.5 w-11 shrink-0 overflow-hidden rounded-tag bg-high">
            <span
              className="block h-full rounded-tag bg-bar"
              style={{ width: `${Math.min(1, tokens / most) * 100}%` }}
            />
          </span>
        )}
        <span className="w-9.5 shrink-0 text-right text-11">
          {tokens === undefined ? words.unknown : f.count(tokens)}
          {tokens !== undefined && <span className="sr-only"> {w.side.sentUnit}</span>}
        </span>
      </div>
      {note !== null && note !== '' && (
        <p className={`text-11 wrap-anywhere ${isMissed ? 'text-stuck' : 'text-text-3'}`}>
          {toVisible(note)}
        </p>
      )}
    </li>
  )
}

/** The chosen skills, each with its score and reason. */
function Skills({ context }: { readonly context: ContextView }) {
  const [isOpen, setIsOpen] = useState(false)
  const { skills } = context
  if (skills.length === 0) return null
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex min-h-6.5 items-center gap-1.5 text-11 text-text-3 hover:text-text touch:min-h-11"
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'right'} size={12} />
        {w.side.skillsTitle(skills.length)}
      </button>
      {isOpen && (
        <ul className="flex flex-col gap-1 pb-1 pl-4.5">
          {skills.map(({ name, score, reasons }) => (
            <li key={name} className="text-11">
              <span className="flex gap-2">
                <span className="min-w-0 flex-1 truncate text-12">{toVisibleLine(name, 60)}</span>
                <span title={w.side.score}>{score.toFixed(2)}</span>
              </span>
              <span className="wrap-anywhere text-text-3">
                {reasons.map((one) => toVisible(one)).join(' · ')}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** The exact context that was sent with a message. */
export function SentDialog(props: {
  readonly conversation: string
  readonly message: string
  readonly onClose: () => void
}) {
  const { data, error, refetch } = useQuery(contextQuery(props.conversation, props.message))
  return (
    <Dialog open onClose={props.onClose} title={w.sentDialog.title} width="max-w-180">
      <p className="border-b border-line px-4 py-2 text-12 text-text-2">{w.sentDialog.note}</p>
      {error !== null && (
        <Strip
          alert
          glyph="failed"
          end={<Button onClick={() => void refetch()}>{words.actions.tryAgain}</Button>}
        >
          {w.sentDialog.failed} {errorText(error)}
        </Strip>
      )}
      {!data && error === null && <Strip>{w.sentDialog.wait}</Strip>}
      {data && (
        <div
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
          tabIndex={0}
          className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2"
        >
          {data.sections.length === 0 && (
            <p className="px-4 py-3 text-12 text-text-3">{w.sentDialog.empty}</p>
          )}
          {data.sections.map((section) => (
            <section key={section.key} className="border-b border-line px-4 py-2.5">
              <h3 className="flex gap-3 pb-1 text-12 font-semibold">
                <span className="flex-1">{toVisibleLine(section.title, 60)}</span>
                <span className="text-11 font-normal text-text-3">
                  {section.status === 'ok' ? w.sentDialog.tokens(section.tokens) : s.status[section.status]}
                  {section.left_out > 0 && ` · ${s.leftOutMany(section.left_out)}`}
                </span>
              </h3>
              {section.note !== undefined && (
                <p className="pb-1 text-11 text-text-3">{toVisible(section.note)}</p>
              )}
              {section.status === 'ok' && section.tokens > 0 && !section.text && (
                <p className="text-12 text-text-3">{w.sentDialog.elsewhere}</p>
              )}
              {section.text !== undefined && section.text !== '' && (
                <Text mono text={section.text} rest={WHOLE} />
              )}
            </section>
          ))}
        </div>
      )}
    </Dialog>
  )
}
