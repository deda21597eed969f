import type { Agent } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { connect, notRunning } from '../../daemon/client.ts'
import { interruptible } from '../../daemon/signals.ts'
import { plainLine } from './change-line.ts'
import { follow } from './follow.ts'
import { LiveAgents } from './live-agents.ts'
import { openScreen } from './screen.ts'
import { sessionTrees, treeLines } from './tree.ts'

const REDRAW_MS = 200
const CLOCK_MS = 1_000

export interface WatchOptions {
  readonly session?: string
}

/** Keeps the tree in view until Ctrl-C: drawn in place on a terminal, else a line for each change. */
export async function watch(context: Context, { session }: WatchOptions): Promise<void> {
  if (!(await connect(context.paths))) throw notRunning()
  const wanted = (agent: Agent): boolean => session === undefined || agent.session_id === session
  const { signal, done } = interruptible()
  try {
    if (process.stdout.isTTY === true && !context.output.json) await drawn(context, wanted, signal)
    else await printed(context, wanted, signal)
  } finally {
    done()
  }
}

type Wanted = (agent: Agent) => boolean

async function drawn({ paths, output }: Context, wanted: Wanted, signal: AbortSignal): Promise<void> {
  const agents = new LiveAgents()
  const screen = openScreen()
  let connected = false
  let due: NodeJS.Timeout | undefined
  const draw = (): void => {
    due = undefined
    const now = Date.now()
    const lines = treeLines(
      sessionTrees(agents.list(now).filter(wanted)),
      output.paint,
      now,
      process.stdout.columns,
    )
    const head = connected ? '● Connected · Ctrl-C ends' : '○ Panoptes is away, trying again · Ctrl-C ends'
    screen.draw([head, '', ...(lines.length > 0 ? lines : ['No agent is at work'])])
  }
  const soon = (): void => {
    due ??= setTimeout(draw, REDRAW_MS)
  }
  const clock = setInterval(draw, CLOCK_MS)
  process.stdout.on('resize', soon)
  // At once: the connection takes its time to close.
  signal.addEventListener('abort', screen.leave, { once: true })
  try {
    await follow(
      paths,
      {
        frame: (frame) => {
          agents.take(frame)
          soon()
        },
        connected: (there) => {
          connected = there
          soon()
        },
      },
      signal,
    )
  } finally {
    clearInterval(clock)
    clearTimeout(due)
    process.stdout.off('resize', soon)
    screen.leave()
  }
}

async function printed({ paths, output }: Context, wanted: Wanted, signal: AbortSignal): Promise<void> {
  const agents = new LiveAgents()
  await follow(
    paths,
    {
      frame: (frame) => {
        for (const agent of agents.take(frame).filter(wanted)) {
          process.stdout.write(`${output.json ? JSON.stringify(agent) : plainLine(agent)}\n`)
        }
      },
      connected: (there) => output.note(there ? 'Connected' : 'Panoptes is away, trying again'),
    },
    signal,
  )
}
