import type { Agent } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import { memo } from 'react'
import { classes } from '../../design/class-names.ts'
import { StateGlyph } from '../../design/glyph.tsx'
import { Icon } from '../../design/icon.tsx'
import { KeyCap } from '../../design/key-cap.tsx'
import { ModelPips } from '../../design/model-pips.tsx'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { toAgentKey } from '../data/agent-key.ts'
import {
  agentCost,
  countCalls,
  countInputTokens,
  describeActivity,
  waitingSince,
} from '../model/agent-activity.ts'
import { markerLine } from '../model/markers.ts'
import { agentName, isMain, modelFamily } from '../model/names.ts'
import { NEEDS_KEY, type TableRow } from './rows.ts'

const w = words.live

export const columns =
  'desk:grid desk:grid-cols-[minmax(150px,1.6fr)_minmax(120px,2fr)_64px_48px_52px_minmax(72px,110px)] desk:gap-x-3 desk:px-4 @min-[860px]:grid-cols-[minmax(150px,1.5fr)_minmax(76px,0.8fr)_84px_minmax(120px,1.6fr)_64px_44px_48px_56px_60px_minmax(72px,110px)] @min-[1060px]:grid-cols-[minmax(150px,1.5fr)_minmax(76px,0.8fr)_84px_minmax(120px,1.6fr)_64px_44px_48px_56px_60px_minmax(72px,110px)_minmax(130px,1.2fr)]'
/** With the computer, if there are several. */
export const columnsOfMany =
  'desk:grid desk:grid-cols-[minmax(150px,1.6fr)_minmax(120px,2fr)_64px_48px_52px_minmax(72px,110px)] desk:gap-x-3 desk:px-4 @min-[860px]:grid-cols-[minmax(150px,1.5fr)_minmax(76px,0.8fr)_minmax(72px,0.7fr)_84px_minmax(110px,1.4fr)_64px_44px_48px_56px_60px_minmax(72px,100px)] @min-[1060px]:grid-cols-[minmax(150px,1.5fr)_minmax(76px,0.8fr)_minmax(76px,0.8fr)_84px_minmax(110px,1.4fr)_64px_44px_48px_56px_60px_minmax(72px,100px)_minmax(110px,1fr)]'
export const wideOnly = 'hidden @min-[860px]:block'
export const widestOnly = 'hidden @min-[1060px]:block'

type HeadTableRow = Extract<TableRow, { kind: 'head' }>
type AgentTableRow = Extract<TableRow, { kind: 'agent' }>

export function HeadRow(props: {
  readonly row: HeadTableRow
  readonly index: number
  readonly narrow: boolean
  readonly onFold: (key: string) => void
}) {
  const { row } = props
  const needs = row.key === NEEDS_KEY
  return (
    <tr
      aria-rowindex={props.index + 2}
      aria-level={1}
      aria-expanded={!row.folded}
      className={classes(
        'flex w-full items-center border-b border-line bg-raised',
        props.narrow ? 'h-12' : 'h-7',
      )}
    >
      <td className="flex min-w-0 flex-1 items-center gap-2 px-4 text-12">
        <button
          type="button"
          className="flex h-6 min-w-0 items-center gap-2 touch:h-11"
          aria-label={row.folded ? w.tableView.unfold(row.title) : w.tableView.fold(row.title)}
          onClick={() => props.onFold(row.key)}
        >
          <Icon name={row.folded ? 'right' : 'down'} size={12} />
          <span className="truncate font-semibold">{row.title}</span>
        </button>
        <span className="min-w-0 flex-1 truncate text-text-3">
          {needs ? w.needs.order(row.count) : w.sessionSub(row.count, row.sub)}
          {props.narrow && row.host !== null && ` · ${row.host}`}
        </span>
        {needs && (
          <span className="flex items-center gap-1 text-text-3 max-desk:hidden">
            <KeyCap>n</KeyCap>
            {w.needs.next}
          </span>
        )}
      </td>
    </tr>
  )
}

interface AgentRowProps {
  readonly id: string
  readonly row: AgentTableRow
  readonly index: number
  readonly narrow: boolean
  /** There are several computers. */
  readonly many: boolean
  readonly now: number
  readonly selected: boolean
  readonly onSelect: (key: string) => void
}

export const AgentRow = memo(function AgentRow(props: AgentRowProps) {
  const { row, selected, narrow, many } = props
  return (
    <tr
      id={props.id}
      aria-rowindex={props.index + 2}
      aria-level={row.level + 1}
      aria-selected={selected}
      onClick={() => props.onSelect(toAgentKey(row.agent))}
      className={classes(
        'relative w-full cursor-pointer border-b border-line',
        narrow
          ? 'flex h-12 items-center gap-2 px-4'
          : `h-7 items-center text-12 ${many ? columnsOfMany : columns}`,
        selected ? 'bg-high shadow-[inset_3px_0_0_var(--gold)]' : 'hover:bg-raised',
      )}
    >
      {narrow ? (
        <NarrowCells {...props} />
      ) : row.above ? (
        <AboveCells row={row} many={many} />
      ) : (
        <Cells {...props} />
      )}
    </tr>
  )
})

function Cells({ row, now, many }: AgentRowProps) {
  const { agent } = row
  const money = agentCost(agent)
  const tokens = countInputTokens(agent)
  return (
    <>
      <Name row={row} />
      <td className={`truncate text-text-2 ${wideOnly}`}>{row.session}</td>
      {many && <Computer host={row.host} />}
      <td className={wideOnly}>
        <Model agent={agent} />
      </td>
      <td className={classes('truncate', textColor(agent))}>{currentActivity(agent, row)}</td>
      <td className={classes('text-right', row.needs ? `font-semibold ${textColor(agent)}` : 'text-text-2')}>
        {stateTime(agent, now)}
      </td>
      <td className="text-right">{f.count(countCalls(agent))}</td>
      <td className={`text-right ${agent.errors > 0 ? 'text-failed' : 'text-text-3'}`}>
        {agent.errors > 0 ? `✕ ${f.count(agent.errors)}` : '0'}
      </td>
      <td className={`text-right text-text-2 ${wideOnly}`}>
        {tokens === null ? words.unknown : f.shortCount(tokens)}
      </td>
      <td className={`text-right ${wideOnly}`}>
        {money === null ? words.unknown : f.money(money).replace('$', '')}
      </td>
      <td className="flex min-w-0 items-center gap-1.5">
        <Outcome agent={agent} />
      </td>
      <MarkerCell agent={agent} />
    </>
  )
}

function AboveCells({ row, many }: { readonly row: AgentTableRow; readonly many: boolean }) {
  return (
    <>
      <Name row={row} />
      <td className={`truncate text-text-3 ${wideOnly}`}>{row.session}</td>
      {many && <Computer host={row.host} />}
      <td className={wideOnly}>
        <Model agent={row.agent} />
      </td>
      <td
        className={classes(
          'truncate text-text-3 desk:col-[2/-1]',
          many ? '@min-[860px]:col-[5/-1]' : '@min-[860px]:col-[4/-1]',
        )}
      >
        {w.needs.above}
      </td>
    </>
  )
}

function Computer({ host }: { readonly host: string | null }) {
  return (
    <td className={`truncate text-text-3 ${wideOnly}`} title={host ?? undefined}>
      {host ?? words.unknown}
    </td>
  )
}

function NarrowCells({ row, now }: AgentRowProps) {
  const { agent } = row
  return (
    <>
      <Name row={row} />
      <td className={classes('min-w-0 flex-1 truncate text-right text-12', textColor(agent))}>
        {row.above ? w.needs.above : currentActivity(agent, row)}
      </td>
      <td className="text-12 whitespace-nowrap text-text-3">{stateTime(agent, now)}</td>
    </>
  )
}

function Name({ row }: { readonly row: AgentTableRow }) {
  const { agent } = row
  return (
    <td className="flex min-w-0 items-center gap-2 self-stretch">
      {row.lines.map((goes, i) => (
        <Branch
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its level
          key={i}
          goes={goes}
          last={i === row.lines.length - 1}
        />
      ))}
      <StateGlyph state={agent.state} outcome={agent.outcome} size={14} />
      <span className="sr-only">{w.stateText(agent)}</span>
      {isMain(agent) && <ModelPips model="main" size={14} />}
      <span
        className={classes(
          'truncate',
          row.needs || isMain(agent) ? 'font-semibold' : '',
          row.above && 'text-text-3',
        )}
        title={agent.id}
      >
        {agentName(agent)}
      </span>
    </td>
  )
}

/** The lines of the tree, which show each agent's parent. */
function Branch({ goes, last }: { readonly goes: boolean; readonly last: boolean }) {
  return (
    <svg
      className="-mr-1 h-full w-3 shrink-0 text-line-strong"
      viewBox="0 0 12 28"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {(goes || last) && <path d={last && !goes ? 'M4 0V14' : 'M4 0V28'} stroke="currentColor" />}
      {last && <path d="M4 14H12" stroke="currentColor" />}
    </svg>
  )
}

function Model({ agent }: { readonly agent: Agent }) {
  const family = modelFamily(agent.model)
  return (
    <span className="flex items-center gap-1.5 text-text-2" title={agent.model ?? words.unknown}>
      <ModelPips model={family} size={12} />
      {w.models[family]}
    </span>
  )
}

function Outcome({ agent }: { readonly agent: Agent }) {
  if (isAlive(agent.state)) return <span className="text-text-3">{words.unknown}</span>
  const failed = agent.state === 'failed' || agent.outcome === 'fail'
  return (
    <>
      <StateGlyph state={agent.state} outcome={agent.outcome} size={13} />
      <span className={classes('truncate', failed ? 'text-failed' : 'text-text-2')}>
        {failed ? w.failed : (agent.outcome ?? w.done)}
      </span>
    </>
  )
}

function MarkerCell({ agent }: { readonly agent: Agent }) {
  const line = markerLine(agent)
  return (
    <td className={`truncate text-text-2 ${widestOnly}`} title={line ?? undefined}>
      {line ?? words.unknown}
    </td>
  )
}

const currentActivity = (agent: Agent, row: AgentTableRow): string => describeActivity(agent, row.children)

function textColor(agent: Agent): string {
  if (agent.state === 'waiting') return 'text-waiting'
  return agent.state === 'stuck' ? 'text-stuck' : ''
}

function stateTime(agent: Agent, now: number): string {
  if (!isAlive(agent.state)) return words.unknown
  const since = agent.state === 'working' ? (agent.doing?.since ?? agent.last_at) : waitingSince(agent)
  return f.duration(Math.max(1_000, Math.floor((now - since) / 1_000) * 1_000))
}
