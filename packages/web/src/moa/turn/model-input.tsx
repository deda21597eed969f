import type { TraceRecord } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useMemo, useState } from 'react'
import { Button, IconButton } from '../../design/button.tsx'
import { classes } from '../../design/class-names.ts'
import { CopyButton } from '../../design/copy-button.tsx'
import { Icon } from '../../design/icon.tsx'
import { Json } from '../../design/json.tsx'
import { Tag } from '../../design/tag.tsx'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { TurnCard } from './card.tsx'
import { LongText } from './marked-text.tsx'
import { type InputMessage, sharedPrefix, toMessages } from './messages.ts'

const w = words.moa.saw
const LINE = 140
/** Messages before these are folded into one line. */
const AT_ONCE = 12

interface SawProps {
  readonly records: readonly TraceRecord[]
  /** The selected call. */
  readonly at: number
  readonly onAt: (at: number) => void
}

/** Shows the exact input of the aggregator message by message, with the guidance marked. */
export function Saw({ records, at, onAt }: SawProps) {
  const [raw, setRaw] = useState(false)
  const record = records[at]
  const input = record?.aggregator.input_messages ?? null
  return (
    <TurnCard
      title={w.title}
      end={
        <>
          {records.length > 1 && <Stepper at={at} all={records.length} onAt={onAt} />}
          {input !== null && (
            <Button kind="quiet" aria-pressed={raw} onClick={() => setRaw(!raw)}>
              {raw ? w.messages : w.raw}
            </Button>
          )}
        </>
      }
    >
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="max-h-96 overflow-y-auto px-3 py-2 text-12 outline-offset-[-2px]"
      >
        {record === undefined ? (
          <p className="text-text-3">{w.none}</p>
        ) : input === null ? (
          <p className="text-text-3">{w.notCalled}</p>
        ) : raw ? (
          <Raw record={record} />
        ) : (
          <>
            <Messages key={at} record={record} />
            <Prefix before={records[at - 1]} record={record} />
          </>
        )}
      </div>
    </TurnCard>
  )
}

function Stepper({
  at,
  all,
  onAt,
}: {
  readonly at: number
  readonly all: number
  readonly onAt: (at: number) => void
}) {
  return (
    <span className="flex items-center gap-1 text-12 whitespace-nowrap text-text-2">
      <IconButton
        icon="left"
        kind="quiet"
        label={w.earlier}
        disabled={at <= 0}
        onClick={() => onAt(at - 1)}
      />
      <span aria-live="polite" title={w.call(at + 1, all)}>
        <span aria-hidden="true">{w.callShort(at + 1, all)}</span>
        <span className="sr-only">{w.call(at + 1, all)}</span>
      </span>
      <IconButton
        icon="right"
        kind="quiet"
        label={w.later}
        disabled={at >= all - 1}
        onClick={() => onAt(at + 1)}
      />
    </span>
  )
}

function Raw({ record: { aggregator } }: { readonly record: TraceRecord }) {
  const value = { ...(aggregator.parameters ?? {}), messages: aggregator.input_messages }
  return (
    <div className="-mx-3 -my-2">
      <div className="flex justify-end px-2 pt-1">
        <CopyButton kind="quiet" label={w.copyRaw} text={JSON.stringify(value, null, 2)} />
      </div>
      <Json value={value} />
    </div>
  )
}

function Messages({ record }: { readonly record: TraceRecord }) {
  const messages = useMemo(() => toMessages(record.aggregator), [record])
  const [all, setAll] = useState(messages.length <= AT_ONCE)
  const hidden = all ? 0 : messages.length - AT_ONCE + 2
  const shown = all ? messages : [...messages.slice(0, 2), ...messages.slice(hidden + 2)]
  return (
    <ol className="flex flex-col">
      {shown.map((message, i) => (
        <li key={message.at}>
          {i === 2 && hidden > 0 && (
            <Button kind="quiet" className="my-1" onClick={() => setAll(true)}>
              {w.earlierMessages(hidden)}
            </Button>
          )}
          <Message message={message} />
        </li>
      ))}
      {record.aggregator.guidance == null && <li className="pt-1.5 text-11 text-text-3">{w.noGuidance}</li>}
    </ol>
  )
}

function Message({ message }: { readonly message: InputMessage }) {
  const [open, setOpen] = useState(false)
  const { role, text, chars, besides, guidanceFrom } = message
  const isGuidance = guidanceFrom === 0
  const line = toVisibleLine([text, ...besides].filter((part) => part !== '').join(' · '), LINE)
  return (
    <div
      className={classes(isGuidance && 'mt-1 rounded-control border border-gold-text bg-gold/7 px-2 py-0.5')}
    >
      <button
        type="button"
        aria-expanded={open}
        className="flex min-h-6.5 w-full min-w-0 items-center gap-2 text-left touch:min-h-11"
        onClick={() => setOpen(!open)}
      >
        <span className={classes('flex text-text-3', open && 'rotate-90')}>
          <Icon name="right" size={12} />
        </span>
        <Tag className="w-17 justify-center">{toVisibleLine(role, 12)}</Tag>
        <span
          className={classes(
            'min-w-0 flex-1 truncate',
            isGuidance ? 'font-semibold text-gold-text' : 'text-text-2',
          )}
        >
          {isGuidance ? w.guidance : line === '' ? w.empty : line}
        </span>
        <span className="text-11 text-text-3" title={w.size(chars)}>
          {f.count(chars)}
        </span>
      </button>
      {!open && guidanceFrom !== null && (
        <p
          className={classes('mb-1.5 line-clamp-3 text-text-2', !isGuidance && 'border-l-2 border-gold pl-2')}
        >
          {!isGuidance && <b className="font-semibold text-gold-text">{w.merged}. </b>}
          {toVisibleLine(extractAdvice(text.slice(guidanceFrom)), 3 * LINE)}
        </p>
      )}
      {open && (
        <div className="pt-1 pb-2 pl-5">
          {guidanceFrom !== null && guidanceFrom > 0 ? (
            <>
              <LongText text={text.slice(0, guidanceFrom).trimEnd()} />
              <div className="mt-2 rounded-control border border-gold-text bg-gold/7 px-2 py-1.5">
                <p className="pb-1 font-semibold text-gold-text">{w.merged}</p>
                <LongText text={text.slice(guidanceFrom)} />
              </div>
            </>
          ) : (
            <LongText text={text} />
          )}
          {besides.map((one, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item is identified by its position
            <p key={i} className="pt-1 font-mono text-11 [overflow-wrap:anywhere] text-text-2">
              {toVisibleLine(one, 20 * LINE)}
            </p>
          ))}
        </div>
      )}
    </div>
  )
}

/** The reference outputs, without the instructions that precede them. */
const extractAdvice = (guidance: string): string => {
  const at = guidance.indexOf('\n\n')
  return at < 0 ? guidance : guidance.slice(at)
}

/** How much of it the provider had already received with the previous call. */
function Prefix(props: { readonly before: TraceRecord | undefined; readonly record: TraceRecord }) {
  const { before, record } = props
  const same = useMemo(
    () => (before === undefined ? null : sharedPrefix(before.aggregator, record.aggregator)),
    [before, record],
  )
  const { usage } = record.aggregator
  const cached = 'cache_read_tokens' in usage ? usage.cache_read_tokens : 0
  const notes = [
    ...(same === null ? [] : [same > 2 ? w.same(same) : w.sameNone]),
    ...(cached > 0 ? [w.holds(cached)] : []),
  ]
  return notes.length === 0 ? null : <p className="pt-2 text-11 text-text-3">{notes.join(' · ')}.</p>
}
