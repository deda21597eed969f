import type { RuntimeHealth } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Glyph } from '../../design/glyph.tsx'
import { Icon } from '../../design/icon.tsx'
import { errorText } from '../../sessions/strips.tsx'
import { words } from '../../words.ts'
import { runtimesQuery } from '../queries.ts'
import { isReady, runtimeGlyph, titleIn } from '../runtimes.ts'
import { ServerText } from '../server-text.tsx'
import { useIsCutOff } from '../use-cut-off.ts'
import { findVisibleError } from '../visible-error.ts'
import { Section } from './section.tsx'

const w = words.chat.side

/** The runtimes that can answer and, for the others, what they lack. */
export function RuntimeRows(props: {
  readonly runtimes: readonly RuntimeHealth[]
  readonly answering: string | null
}) {
  const { runtimes, answering } = props
  const error = findVisibleError(useQuery(runtimesQuery).error, useIsCutOff())
  return (
    <Section title={w.runtimes}>
      {error !== null && (
        <p className="text-11 text-failed">
          {w.runtimesFailed} {errorText(error)}
        </p>
      )}
      <ul>
        {runtimes.map((one) => (
          <RuntimeRow
            key={one.id}
            one={one}
            title={titleIn(runtimes, one.id)}
            isAnswering={one.id === answering}
          />
        ))}
      </ul>
    </Section>
  )
}

/** One line per runtime; details of what is missing open on demand. */
function RuntimeRow(props: {
  readonly one: RuntimeHealth
  readonly title: string
  readonly isAnswering: boolean
}) {
  const { one, isAnswering } = props
  const [isOpen, setIsOpen] = useState(false)
  const hasMore = !isReady(one) && one.detail !== ''
  const line = (
    <>
      <Glyph name={isAnswering ? 'working' : runtimeGlyph(one)} size={14} />
      <span className="min-w-0 flex-1 truncate">{props.title}</span>
      <span className="text-11 text-text-3">
        {isAnswering ? w.answering : w.over(w.states[one.state], one.transport)}
      </span>
    </>
  )
  if (!hasMore) return <li className="flex min-h-6.5 items-center gap-2 py-0.5 text-12">{line}</li>
  return (
    <li className="py-0.5">
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex min-h-5.5 w-full items-center gap-2 text-left text-12 touch:min-h-11"
        onClick={() => setIsOpen(!isOpen)}
      >
        {line}
        <span className="flex text-text-3">
          <Icon name={isOpen ? 'down' : 'right'} size={12} />
        </span>
      </button>
      {isOpen && (
        <p className="pl-5.5 text-11 wrap-anywhere text-text-3">
          <ServerText text={one.detail} />
        </p>
      )}
    </li>
  )
}
