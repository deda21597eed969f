import { isPlainObject } from '@panoptes/schema/plain-object'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useState } from 'react'
import { classes } from '../../design/class-names.ts'
import { Glyph, type GlyphName } from '../../design/glyph.tsx'
import { Icon } from '../../design/icon.tsx'
import * as f from '../../format.ts'
import { Diff } from '../../sessions/transcript/diff.tsx'
import { findEdit } from '../../sessions/transcript/edit.ts'
import { Text } from '../../sessions/transcript/text.tsx'
import { useNow } from '../../shell/use-now.ts'
import { words } from '../../words.ts'
import { isOver, type RunNode, type RunView } from '../state/run-view.ts'
import { detailText, nodeSummary } from './summaries.ts'

const w = words.chat.thread
/** A long row shows this many steps and folds the rest behind one line. */
const SHOWN = 3
const LABEL = 80
const WHOLE = { n: 0, at: 0 }

/** Shows the steps between the texts of an answer: tools, agents and thoughts, each on its own line. */
export function NodeRows({ ids, run }: { readonly ids: readonly string[]; readonly run: RunView }) {
  const [isOpen, setIsOpen] = useState(false)
  const nodes = ids.flatMap((id) => run.nodes.get(id) ?? []).filter((node) => !isInside(node, run))
  const folds = nodes.length > SHOWN + 1
  const hidden = folds ? nodes.slice(0, -SHOWN) : []
  const shown = folds && !isOpen ? nodes.slice(-SHOWN) : nodes
  const failed = hidden.filter(({ status }) => status === 'failed').length
  if (nodes.length === 0) return null
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-control border border-line bg-raised">
      {hidden.length > 0 && (
        <li>
          <button
            type="button"
            aria-expanded={isOpen}
            className="flex min-h-6 w-full items-center gap-2 px-2.5 text-left text-11 text-text-3 hover:text-text touch:min-h-11"
            onClick={() => setIsOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'down' : 'right'} size={12} />
            {isOpen ? w.fewer : `${w.more(hidden.length)}${w.moreFailed(failed)}`}
          </button>
        </li>
      )}
      {shown.map((node) => (
        <NodeRow key={node.id} node={node} run={run} depth={0} />
      ))}
    </ul>
  )
}

const isInside = ({ parent }: RunNode, { nodes }: RunView): boolean => {
  const kind = parent === null ? undefined : nodes.get(parent)?.kind
  return kind === 'subagent' || kind === 'tool'
}

const DEEPEST = 6

function NodeRow(props: { readonly node: RunNode; readonly run: RunView; readonly depth: number }) {
  const { node, run, depth } = props
  const [isOpen, setIsOpen] = useState(false)
  const children =
    depth < DEEPEST
      ? [...run.nodes.values()].filter(({ parent, id }) => parent === node.id && id !== node.id)
      : []
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex min-h-7.5 w-full min-w-0 items-center gap-2 px-2.5 text-left text-12 touch:min-h-11"
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className={classes('flex text-text-3', isOpen && 'rotate-90')}>
          <Icon name="right" size={12} />
        </span>
        <span className="max-w-1/2 truncate font-semibold">
          {toVisibleLine(node.label, LABEL) || node.kind}
        </span>
        {node.kind === 'subagent' && <span className="text-11 text-text-3">{w.subagent}</span>}
        <span className="min-w-0 flex-1 truncate font-mono text-11 text-text-2">{nodeSummary(node)}</span>
        {children.length > 0 && <span className="text-11 text-text-3">{w.inside(children.length)}</span>}
        <NodeState node={node} isEnded={run.end !== null} />
      </button>
      {isOpen && (
        <div className="border-t border-line">
          {children.length > 0 && (
            <ul className="divide-y divide-line border-b border-line pl-4">
              {children.map((child) => (
                <NodeRow key={child.id} node={child} run={run} depth={depth + 1} />
              ))}
            </ul>
          )}
          <NodeDetail node={node} />
        </div>
      )}
    </li>
  )
}

const GLYPHS: Readonly<Record<RunNode['status'], GlyphName>> = {
  started: 'working',
  running: 'working',
  completed: 'done',
  skipped: 'unknown',
  failed: 'failed',
}
const STATES: Readonly<Record<RunNode['status'], string>> = {
  started: w.running,
  running: w.running,
  completed: w.done,
  skipped: w.skipped,
  failed: w.callFailed,
}

function NodeState({ node, isEnded }: { readonly node: RunNode; readonly isEnded: boolean }) {
  // A step that never reported its end is over when its run is.
  const status = isEnded && !isOver(node.status) ? 'skipped' : node.status
  return (
    <>
      {status === 'failed' && <span className="text-11 text-failed">{w.callFailed}</span>}
      <Glyph name={GLYPHS[status]} size={14} />
      <span className="sr-only">{STATES[status]}</span>
      <span className="min-w-11 text-right text-11 whitespace-nowrap text-text-3">
        {isOver(status) ? durationText(node) : <Since at={node.startedAt} />}
      </span>
    </>
  )
}

/** A thought that arrives in one piece has no measurable duration. */
const NO_TIME = 100

function durationText({ kind, elapsedMs }: RunNode): string {
  if (kind === 'reasoning' && (elapsedMs ?? 0) < NO_TIME) return ''
  return elapsedMs === null ? words.unknown : f.duration(elapsedMs)
}

/** Counts how long a step has been running, second by second. */
export function Since({ at }: { readonly at: number }) {
  const now = useNow()
  return f.duration(Math.max(1, Math.floor((now - at) / 1_000)) * 1_000)
}

function NodeDetail({ node }: { readonly node: RunNode }) {
  const input = isPlainObject(node.detail) ? node.detail.input : null
  const edit = findEdit(input)
  const text =
    isPlainObject(node.detail) && node.kind === 'reasoning' ? node.detail.text : detailText(node.detail)
  if (edit !== null)
    return (
      <>
        <Diff lines={edit.lines} />
        {isPlainObject(node.detail) && typeof node.detail.output === 'string' && (
          <div className="border-t border-line px-2.5 py-2">
            <Text mono text={node.detail.output} rest={WHOLE} />
          </div>
        )}
      </>
    )
  if (typeof text !== 'string' || text === '')
    return <p className="px-2.5 py-2 text-11 text-text-3">{w.noDetail}</p>
  return (
    <div className="px-2.5 py-2">
      <Text mono={node.kind !== 'reasoning'} text={text} rest={WHOLE} />
    </div>
  )
}
