import type { ReactNode } from 'react'
import { classes } from '../../design/class.ts'
import { Glyph } from '../../design/glyph.tsx'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { oneLine } from '../plain.ts'
import { AgentBlock } from './agent-block.tsx'
import { Diff } from './diff.tsx'
import { type Edit, editOf } from './edit.ts'
import { Fold } from './fold.tsx'
import { Image } from './image.tsx'
import { Text } from './text.tsx'
import { type Call, tookOf } from './thread.ts'

const w = words.transcript
const LINE = 160

/** A tool call: folded to a line, open with its input, what it changes and what came back. */
export function CallBlock({ call, shown }: { readonly call: Call; readonly shown: boolean }) {
  const { result, made } = call
  const failed = result?.ok === false
  const edit = editOf(call.call.input)
  return (
    <>
      <Fold
        key={shown ? 'shown' : 'plain'}
        failed={failed}
        open={shown || edit !== null}
        className={classes('rounded-control border bg-raised', failed ? 'border-failed' : 'border-line')}
        head={<CallHead call={call} edit={edit} failed={failed} />}
      >
        {() => <CallBody call={call} edit={edit} />}
      </Fold>
      {made.map((thread) => (
        <AgentBlock key={thread.agent.id} thread={thread} />
      ))}
    </>
  )
}

function CallHead(props: { readonly call: Call; readonly edit: Edit | null; readonly failed: boolean }) {
  const { call, edit, failed } = props
  const took = tookOf(call)
  const count = (kind: string) => edit?.lines.filter((line) => line.kind === kind).length ?? 0
  return (
    <>
      <span className="font-semibold">{oneLine(call.call.tool, LINE)}</span>
      <span className="min-w-0 flex-1 truncate font-mono text-11 text-text-2">{aboutOf(call, edit)}</span>
      {edit !== null && (
        <span className="text-11">
          <span className="text-done">+{f.count(count('added'))}</span>{' '}
          <span className="text-failed">-{f.count(count('removed'))}</span>
        </span>
      )}
      {failed && (
        <span className="flex items-center gap-1 text-failed">
          <Glyph name="failed" size={12} />
          {w.callFailed}
        </span>
      )}
      <span className="min-w-12 text-right text-11 text-text-3">
        {took === null ? words.unknown : f.duration(took)}
      </span>
    </>
  )
}

function CallBody({ call, edit }: { readonly call: Call; readonly edit: Edit | null }) {
  const { result, pictures } = call
  return (
    <>
      {edit !== null ? (
        <Diff lines={edit.lines} />
      ) : (
        <Section title={w.input}>
          <Text mono text={jsonOf(call.call.input)} />
        </Section>
      )}
      <Section title={w.output}>
        {result === null ? (
          <p className="text-12 text-text-3">{w.noOutput}</p>
        ) : result.text === '' ? (
          <p className="text-12 text-text-3">{w.emptyOutput}</p>
        ) : (
          <Text mono text={result.text} leftOut={result.left_out} />
        )}
        {pictures.map((picture, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an image is its place
          <Image key={i} picture={picture} />
        ))}
      </Section>
    </>
  )
}

function Section(props: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="border-t border-line px-2.5 py-2">
      <div className="pb-1 text-11 text-text-3">{props.title}</div>
      {props.children}
    </div>
  )
}

const MAIN_FIELDS = ['command', 'description', 'pattern', 'query', 'url', 'prompt', 'skill']

/** The one field that says most of what a call is about. */
function aboutOf({ call: { input } }: Call, edit: Edit | null): string {
  if (typeof input !== 'object' || input === null) return oneLine(String(input ?? ''), LINE)
  const fields = input as Readonly<Record<string, unknown>>
  const said = [edit?.file, fields.file_path, fields.path, ...MAIN_FIELDS.map((name) => fields[name])]
  const first = said.find((value) => typeof value === 'string' && value !== '')
  return oneLine(
    typeof first === 'string' ? first : Object.keys(fields).length > 0 ? jsonOf(input) : '',
    LINE,
  )
}

const jsonOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
