import { readFile } from 'node:fs/promises'
import { pause } from '@panoptes/engine/abortable'
import { findDaemon, type Paths, tokenFile } from '@panoptes/engine/home'
import { type Agent, check, type StreamFrame, streamFrame } from '@panoptes/schema'
import { formatSafeJson, toVisible } from '@panoptes/schema/shown'
import type { Context } from '../../context.ts'
import { connect, notRunning } from '../../daemon/client.ts'
import { interruptible } from '../../daemon/signals.ts'
import { escapeControl } from '../../terminal/paint.ts'
import { agentName, errorsText, nowText, oneLine, stateText, toolsText } from './format.ts'
import { sessionTrees, treeLines } from './tree.ts'

const REDRAW_MS = 200
const CLOCK_MS = 1_000

export interface WatchOptions {
  readonly session?: string
}

/** Shows the tree until Ctrl-C: redrawn in place on a terminal, otherwise as one line per change. */
export async function watch(context: Context, { session }: WatchOptions): Promise<void> {
  if (!(await connect(context.paths))) throw notRunning()
  const isShown = (agent: Agent): boolean => session === undefined || agent.session_id === session
  const { signal, done } = interruptible()
  try {
    if (process.stdout.isTTY === true && !context.output.json) await drawTree(context, isShown, signal)
    else await printChanges(context, isShown, signal)
  } finally {
    done()
  }
}

type AgentFilter = (agent: Agent) => boolean

async function drawTree({ paths, output }: Context, wanted: AgentFilter, signal: AbortSignal): Promise<void> {
  const agents = new LiveAgents()
  const screen = openScreen()
  let connected = false
  let due: NodeJS.Timeout | undefined
  const draw = (): void => {
    due = undefined
    const now = Date.now()
    const lines = treeLines(
      sessionTrees(agents.listLines(now).filter(wanted)),
      output.paint,
      now,
      process.stdout.columns,
    )
    const head = connected
      ? '● Connected · Ctrl-C to quit'
      : '○ Panoptes is not reachable, retrying · Ctrl-C to quit'
    screen.draw([head, '', ...(lines.length > 0 ? lines : ['No agent is running'])])
  }
  const scheduleDraw = (): void => {
    due ??= setTimeout(draw, REDRAW_MS)
  }
  const clock = setInterval(draw, CLOCK_MS)
  process.stdout.on('resize', scheduleDraw)
  // Exit without waiting for the connection, which may close slowly.
  signal.addEventListener('abort', screen.leave, { once: true })
  try {
    await follow(
      paths,
      {
        frame: (frame) => {
          agents.take(frame)
          scheduleDraw()
        },
        connected: (there) => {
          connected = there
          scheduleDraw()
        },
      },
      signal,
    )
  } finally {
    clearInterval(clock)
    clearTimeout(due)
    process.stdout.off('resize', scheduleDraw)
    screen.leave()
  }
}

async function printChanges(
  { paths, output }: Context,
  wanted: AgentFilter,
  signal: AbortSignal,
): Promise<void> {
  const agents = new LiveAgents()
  await follow(
    paths,
    {
      frame: (frame) => {
        for (const agent of agents.take(frame).filter(wanted)) {
          process.stdout.write(`${output.json ? formatSafeJson(agent) : toVisible(plainLine(agent))}\n`)
        }
      },
      connected: (there) => output.note(there ? 'Connected' : 'Panoptes is not reachable, retrying'),
    },
    signal,
  )
}

/** Formats one change as a line: time, session, agent, state and activity. */
export function plainLine(agent: Agent): string {
  const time = new Date(agent.last_at).toISOString().slice(11, 19)
  const rest = [toolsText(agent), errorsText(agent), nowText(agent)].filter(
    (part) => part !== '' && part !== '–',
  )
  const who = [oneLine(agent.session_id, 8), oneLine(agentName(agent), 40), stateText(agent)]
  return [`${time}Z`, ...who, ...rest].join('  ')
}

const LINGER_MS = 60_000
const MOST = 2_000

/** The agents in the frames of the stream: running ones, and for a minute those that just ended. */
export class LiveAgents {
  readonly #agents = new Map<string, Agent>()

  /** Applies a frame and returns the agents that it adds or changes. */
  take(frame: StreamFrame): readonly Agent[] {
    if (frame.type === 'snapshot') {
      // An agent missing from the snapshot has ended or was removed.
      const before = new Map(this.#agents)
      this.#agents.clear()
      return this.#keep(frame.alive, before)
    }
    return frame.type === 'agents' ? this.#keep(frame.data, this.#agents) : []
  }

  listLines(now: number): readonly Agent[] {
    for (const [key, { ended_at, lost_at = ended_at }] of this.#agents) {
      if (lost_at !== null && now - lost_at > LINGER_MS) this.#agents.delete(key)
    }
    return [...this.#agents.values()]
  }

  #keep(agents: readonly Agent[], before: ReadonlyMap<string, Agent>): readonly Agent[] {
    const changed = agents.filter((agent) => !isSameLine(before.get(agentKey(agent)), agent))
    for (const agent of agents) {
      this.#agents.delete(agentKey(agent))
      this.#agents.set(agentKey(agent), agent)
    }
    for (const key of this.#agents.keys()) {
      if (this.#agents.size <= MOST) break
      this.#agents.delete(key)
    }
    return changed
  }
}

const agentKey = ({ source, session_id, id }: Agent): string => `${source}\u0000${session_id}\u0000${id}`

/** Checks that no visible part of the line changed. */
const isSameLine = (before: Agent | undefined, now: Agent): boolean =>
  before !== undefined &&
  before.state === now.state &&
  before.errors === now.errors &&
  before.wait_reason === now.wait_reason &&
  before.wait_since === now.wait_since &&
  before.doing?.since === now.doing?.since &&
  before.doing?.tool === now.doing?.tool

const ENTER = '\x1b[?1049h\x1b[?25l'
const LEAVE = '\x1b[?25h\x1b[?1049l'
const HOME = '\x1b[H'
const REST_OF_LINE = '\x1b[K'
const REST_OF_SCREEN = '\x1b[J'

/** Draws one frame at a time on the alternate screen. After `close` it restores the terminal and draws nothing more. */
interface Screen {
  readonly draw: (lines: readonly string[]) => void
  readonly leave: () => void
}

type Terminal = Pick<NodeJS.WriteStream, 'rows' | 'columns'> & { readonly write: (text: string) => unknown }

export function openScreen(out: Terminal = process.stdout): Screen {
  let open = true
  out.write(ENTER)
  return {
    draw: (lines) => {
      if (!open) return
      const rows = Math.max(2, out.rows ?? 24)
      const fits =
        lines.length <= rows
          ? lines
          : [...lines.slice(0, rows - 1), `… ${lines.length - rows + 1} more lines`]
      const width = Math.max(20, out.columns ?? 80)
      const text = fits.map((line) => cutLine(escapeControl(line), width) + REST_OF_LINE).join('\r\n')
      out.write(`${HOME}${text}${REST_OF_SCREEN}`)
    },
    leave: () => {
      if (open) out.write(LEAVE)
      open = false
    },
  }
}

/** Cuts a line at the terminal edge. Color codes have no width and are reset at the cut. */
export function cutLine(line: string, width: number): string {
  let shown = 0
  let at = 0
  while (at < line.length) {
    const color = line[at] === '\x1b' ? line.indexOf('m', at) : -1
    if (color >= 0) at = color + 1
    else {
      if (shown === width) return `${line.slice(0, at)}\x1b[0m`
      shown += 1
      at += 1
    }
  }
  return line
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

interface Follower {
  readonly frame: (frame: StreamFrame) => void
  /** Reports whether the connection is open or being retried. */
  readonly connected: (there: boolean) => void
}

/** Follows the stream of the running Panoptes until the signal aborts, across restarts. */
async function follow(paths: Paths, { frame, connected }: Follower, signal: AbortSignal): Promise<void> {
  let retryMs = FIRST_WAIT_MS
  while (!signal.aborted) {
    const lasted = await runConnection(paths, frame, () => connected(true), signal)
    if (signal.aborted) return
    connected(false)
    retryMs = lasted ? FIRST_WAIT_MS : Math.min(retryMs * 2, LONGEST_WAIT_MS)
    await pause(retryMs, signal)
  }
}

/** Runs one connection until it closes and returns whether it was ever established. */
async function runConnection(
  paths: Paths,
  take: (frame: StreamFrame) => void,
  opened: () => void,
  signal: AbortSignal,
): Promise<boolean> {
  const daemon = await findDaemon(paths)
  if (daemon.state !== 'running') return false
  const token = await readFile(tokenFile(paths, 'full'), 'utf8').catch(() => '')
  if (signal.aborted) return false
  const address = `${daemon.info.address.replace(/^http/, 'ws')}/stream?agents=1&batch=1`
  const socket = new WebSocket(address, ['bearer', token.trim()])
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let open = false
  const stop = () => socket.close()
  signal.addEventListener('abort', stop, { once: true })
  socket.addEventListener('open', () => {
    if (signal.aborted) return
    open = true
    opened()
  })
  socket.addEventListener('message', ({ data }) => {
    if (signal.aborted) return
    const frame = check(streamFrame, parse(data))
    if (!frame.ok) return
    // The snapshot of the next connection contains what was missed.
    if (frame.value.type === 'gap') socket.close()
    else take(frame.value)
  })
  socket.addEventListener('error', () => socket.close())
  socket.addEventListener('close', () => resolve(open))
  const lasted = await promise
  signal.removeEventListener('abort', stop)
  return lasted
}

function parse(data: unknown): unknown {
  try {
    return JSON.parse(String(data))
  } catch {
    return undefined
  }
}
