import type { PastMessage } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { memo } from 'react'
import { Button } from '../../design/button.tsx'
import { classes } from '../../design/class-names.ts'
import { Glyph } from '../../design/glyph.tsx'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { errorText } from '../strips.tsx'
import { AgentBlock } from './agent-block.tsx'
import { Diff } from './diff.tsx'
import { type Edit, findEdit } from './edit.ts'
import { Fold } from './fold.tsx'
import { useReading } from './reading-context.ts'
import { type RestOfBlock, Text, useRest } from './text.tsx'
import type { Entry, Part, Picture } from './thread.ts'
import { type Call, callDuration, isFailed } from './thread.ts'
import type { Piece } from './turns.ts'
import { callCost } from './usage.ts'

const w = words.transcript
const LINE = 160
const NAME = 60
const quiet = 'rounded-control border border-line text-text-3'
/** Image formats that cannot contain scripts. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const MOST = 8 * 1_024 * 1_024
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const box =
  'flex flex-wrap items-center gap-2 rounded-control border border-dashed border-line-strong px-2.5 py-1.5 text-12 text-text-3'

interface CallProps {
  readonly call: Call
  /** The reply that contains the call. */
  readonly message: PastMessage
}

/** A tool call. A call that created an agent is shown as that agent and contains the call. */
function CallBlock({ call, message }: CallProps) {
  const [made, ...more] = call.made
  const own = <OwnCall call={call} message={message} />
  if (!made) return own
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      {more.length > 0 && own}
      <AgentBlock agent={made.agent} failed={isFailed(call)} call={more.length > 0 ? null : own} />
      {more.map(({ agent }) => (
        <AgentBlock key={agent.id} agent={agent} />
      ))}
    </div>
  )
}

/** A folded line that opens to the input, the edit and the result. */
function OwnCall({ call, message }: CallProps) {
  const { target } = useReading()
  const { n, at } = call
  const failed = isFailed(call)
  const edit = findEdit(call.block.input)
  return (
    <Fold
      id={`call-${n}-${at}`}
      of={n}
      open={(n === target && call.made.length === 0) || edit !== null}
      className={classes('rounded-control border bg-raised', failed ? 'border-failed/60' : 'border-line')}
      head={<CallHead call={call} message={message} edit={edit} failed={failed} />}
    >
      {() => <CallBody call={call} edit={edit} />}
    </Fold>
  )
}

function CallHead(props: CallProps & { readonly edit: Edit | null; readonly failed: boolean }) {
  const { call, edit, failed } = props
  const took = callDuration(call)
  const cost = callCost(props.message)
  const count = (kind: string) => edit?.lines.filter((line) => line.kind === kind).length ?? 0
  return (
    <>
      <span className="max-w-1/2 truncate font-semibold">{toVisibleLine(call.block.tool, LINE)}</span>
      <span className="min-w-0 flex-1 truncate font-mono text-11 text-text-2">{callSummary(call, edit)}</span>
      {edit !== null && (
        <span className="font-mono text-11 whitespace-nowrap">
          <span className="text-done">+{f.count(count('added'))}</span>{' '}
          <span className="text-failed">−{f.count(count('removed'))}</span>
        </span>
      )}
      {failed && (
        <span className="flex items-center gap-1 text-failed">
          <Glyph name="failed" size={12} />
          {w.callFailed}
        </span>
      )}
      <span className="min-w-12 text-right text-11 whitespace-nowrap text-text-3">
        {took === null ? words.unknown : f.duration(took)}
      </span>
      {cost !== null && (
        <span className="min-w-12 text-right text-11 whitespace-nowrap text-text-3" title={cost.note}>
          {cost.text}
        </span>
      )}
    </>
  )
}

function CallBody({ call, edit }: { readonly call: Call; readonly edit: Edit | null }) {
  const { block, result, pictures } = call
  return (
    <>
      {edit !== null ? (
        <Diff lines={edit.lines} />
      ) : (
        <Section title={w.input} end={<Moment ts={call.calledAt} />}>
          <Text mono text={toJson(block.input)} leftOut={block.left_out} rest={call} />
        </Section>
      )}
      <Section title={w.output} end={edit !== null && <Moment ts={call.calledAt} />}>
        {result === null ? (
          <p className="text-12 text-text-3">{w.noOutput}</p>
        ) : result.block.text === '' ? (
          pictures.length === 0 && <p className="text-12 text-text-3">{w.emptyOutput}</p>
        ) : (
          <Text mono text={result.block.text} leftOut={result.block.left_out} rest={result} />
        )}
        {pictures.map((picture) => (
          <Image key={`${picture.n}-${picture.at}`} picture={picture.block} rest={picture} />
        ))}
      </Section>
    </>
  )
}

/** The time of the call, with a link to that moment in Live. */
function Moment({ ts }: { readonly ts: number | null }) {
  const { session } = useReading()
  if (ts === null) return null
  return (
    <Link to="/" search={{ session, at: ts }} className="hover:text-text hover:underline">
      {w.momentInLive(f.clock(ts))}
    </Link>
  )
}

function Section(props: { readonly title: string; readonly end: ReactNode; readonly children: ReactNode }) {
  return (
    <div className="border-t border-line px-2.5 py-2">
      <div className="flex justify-between gap-2 pb-1 text-11 text-text-3">
        {props.title}
        {props.end}
      </div>
      {props.children}
    </div>
  )
}

const MAIN_FIELDS = ['command', 'description', 'pattern', 'query', 'url', 'prompt', 'skill']

/** Picks the most telling field of the input. */
function callSummary({ block: { input } }: Call, edit: Edit | null): string {
  if (typeof input !== 'object' || input === null) return toVisibleLine(String(input ?? ''), LINE)
  const fields = input as Readonly<Record<string, unknown>>
  const candidates = [edit?.file, ...MAIN_FIELDS.map((name) => fields[name]), fields.file_path, fields.path]
  const first = candidates.find((value) => typeof value === 'string' && value !== '')
  return toVisibleLine(
    typeof first === 'string' ? first : Object.keys(fields).length > 0 ? toJson(input) : '',
    LINE,
  )
}

const toJson = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')

/** A part of a message; the first part carries the id of the message. */
export const PieceBlock = memo(function PieceBlock({ piece }: { readonly piece: Piece }) {
  const { entry, first } = piece
  const { target, current } = useReading()
  const { state, hidden } = entry.message
  const folded = state === 'summary' ? w.summary : hidden ? w.hidden : null
  if (folded !== null && !first) return null
  const isMarked = entry.n === (current ?? target)
  return (
    <div
      {...(first ? { id: `message-${entry.n}`, 'data-entry': entry.n, tabIndex: -1 } : {})}
      aria-current={isMarked && first ? 'true' : undefined}
      className={classes(
        'min-w-0 scroll-my-2 outline-none',
        isMarked && 'shadow-[-6px_0_0_var(--surface),-8px_0_0_var(--gold)]',
      )}
    >
      {folded === null ? (
        <PartBlock entry={entry} part={piece.part} />
      ) : (
        <Folded entry={entry} name={folded} />
      )}
    </div>
  )
})

function Folded({ entry, name }: { readonly entry: Entry; readonly name: string }) {
  const { target } = useReading()
  return (
    <Fold
      id={`message-${entry.n}`}
      of={entry.n}
      open={entry.n === target}
      className={quiet}
      head={<span className="text-text-2">{name}</span>}
    >
      {() => (
        <div className="flex flex-col gap-2 border-t border-line p-2.5">
          {entry.parts.map((part, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its position
            <PartBlock key={i} entry={entry} part={part} />
          ))}
        </div>
      )}
    </Fold>
  )
}

function PartBlock({ entry, part }: { readonly entry: Entry; readonly part: Part }) {
  if (part.kind === 'call') return <CallBlock call={part} message={entry.message} />
  const { block } = part
  if (block.type === 'text') return <Text text={block.text} leftOut={block.left_out} rest={part} />
  if (block.type === 'image') return <Image picture={block} rest={part} />
  if (block.type === 'tool_call') return null
  const head = block.type === 'reasoning' ? w.thinking : w.outputLabel(toVisibleLine(block.id, NAME))
  return (
    <Fold
      id={`part-${part.n}-${part.at}`}
      of={entry.n}
      className="text-text-3"
      headClass="px-0! min-h-5! text-11!"
      head={<span className="truncate">{head}</span>}
    >
      {() => (
        <div className="border-l-2 border-line py-1 pl-3 text-text-2">
          {block.text === '' ? (
            w.thinkingMissing
          ) : (
            <Text mono text={block.text} leftOut={block.left_out} rest={part} />
          )}
        </div>
      )}
    </Fold>
  )
}

/** An image from the session itself. Nothing is ever fetched from elsewhere for it. */
function Image({ picture, rest }: { readonly picture: Picture; readonly rest: RestOfBlock }) {
  if (picture.data === null && typeof picture.left_out === 'number')
    return <LargeImage picture={picture} rest={rest} size={f.bytes((picture.left_out * 3) / 4)} />
  return <Shown picture={picture} />
}

/** An image that the server leaves out of a page because of its size. */
function LargeImage(props: { readonly picture: Picture; readonly rest: RestOfBlock; readonly size: string }) {
  const { block, isReading, error, read } = useRest(props.rest)
  if (block?.type === 'image') return <Shown picture={block} />
  return (
    <div className={box}>
      <span>{w.image(props.picture.media_type, props.size)}</span>
      <Button disabled={isReading} onClick={read}>
        {isReading ? w.readingRest : w.showImage}
      </Button>
      {error && <span className="text-failed">{errorText(error)}</span>}
    </div>
  )
}

function Shown({ picture: { media_type: type, data } }: { readonly picture: Picture }) {
  const size = data === null ? null : f.bytes(Math.floor((data.length * 3) / 4))
  if (type === null || data === null || !SHOWN.has(type) || data.length > MOST || !BASE64.test(data))
    return <p className={box}>{w.imageNotShown(type, size)}</p>
  return (
    <img
      src={`data:${type};base64,${data}`}
      alt={w.image(type, size)}
      loading="lazy"
      className="max-h-90 self-start max-w-full rounded-control border border-line"
    />
  )
}
