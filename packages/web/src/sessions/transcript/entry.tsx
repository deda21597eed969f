import type { ContentBlock, Message, SessionAgent, TokenUsage } from '@panoptes/schema'
import { Link } from '@tanstack/react-router'
import { memo, type ReactNode, useContext } from 'react'
import { classes } from '../../design/class.ts'
import { ModelPips } from '../../design/model-pips.tsx'
import * as f from '../../format.ts'
import { familyOf, nameOf } from '../../live/model/names.ts'
import { words } from '../../words.ts'
import { oneLine } from '../plain.ts'
import { CallBlock } from './call.tsx'
import { Fold } from './fold.tsx'
import { Image } from './image.tsx'
import { Reading } from './reading.ts'
import { Text } from './text.tsx'
import { type Entry, MAIN, type Part } from './thread.ts'

const w = words.transcript
const NAME = 60
const quiet = 'rounded-control border border-line text-text-3'

/** One message: who, when, with what, and what was said and done. */
export const EntryBlock = memo(function EntryBlock(props: {
  readonly entry: Entry
  readonly agent: SessionAgent
}) {
  const { entry, agent } = props
  const { message } = entry
  const { target } = useContext(Reading)
  const body = () => (
    <div className="flex flex-col gap-2">
      {entry.parts.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
        <PartBlock key={i} part={part} shown={entry.n === target} />
      ))}
    </div>
  )
  const folded = message.state === 'summary' ? w.summary : message.hidden ? w.hidden : null
  return (
    <article
      id={`message-${entry.n}`}
      data-entry=""
      className={classes(
        'flex scroll-mt-2 flex-col gap-1 py-2.5 [contain-intrinsic-size:auto_90px] [content-visibility:auto]',
        entry.n === target && 'shadow-[-8px_0_0_var(--surface),-11px_0_0_var(--gold)]',
      )}
    >
      <EntryHead message={message} agent={agent} />
      {folded === null ? (
        body()
      ) : (
        <Fold
          open={entry.n === target}
          className={quiet}
          head={<span className="text-text-2">{folded}</span>}
        >
          {() => <div className="border-t border-line p-2.5">{body()}</div>}
        </Fold>
      )}
    </article>
  )
})

function EntryHead({ message, agent }: { readonly message: Message; readonly agent: SessionAgent }) {
  const { session } = useContext(Reading)
  const { ts, usage } = message
  const taken = message.state === 'compacted' ? w.compacted : message.state === 'rewound' ? w.rewound : null
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 text-11 text-text-3">
      {message.role === 'assistant' && (
        <ModelPips model={agent.id === MAIN ? 'main' : familyOf(message.model)} />
      )}
      <span className="text-13 font-semibold text-text">{whoOf(message, agent)}</span>
      {message.model !== null && <span>{oneLine(message.model, NAME)}</span>}
      {ts !== null && (
        <Link
          to="/"
          search={{ session, at: ts }}
          title={w.momentInLive(f.moment(ts))}
          className="hover:text-text hover:underline"
        >
          {f.clock(ts)}
        </Link>
      )}
      {taken !== null && <span className="rounded-tag border border-line-strong px-1">{taken}</span>}
      {usage !== null && (
        <span className="ml-auto" title={tokensOf(usage)}>
          {usage.output === null ? words.unknown : w.tokensOut(usage.output)}
        </span>
      )}
    </div>
  )
}

function PartBlock({ part, shown }: { readonly part: Part; readonly shown: boolean }) {
  return part.kind === 'call' ? <CallBlock call={part} shown={shown} /> : <Block block={part.block} />
}

function Block({ block }: { readonly block: ContentBlock }): ReactNode {
  if (block.type === 'text') return <Text text={block.text} leftOut={block.left_out} />
  if (block.type === 'image') return <Image picture={block} />
  if (block.type === 'tool_call') return null
  const head = block.type === 'reasoning' ? w.thinking : w.outputOf(oneLine(block.id, NAME))
  return (
    <Fold className={quiet} head={<span className="truncate">{head}</span>}>
      {() => (
        <div className="border-t border-line p-2.5 text-text-2">
          {block.text === '' ? w.thinkingKept : <Text mono text={block.text} leftOut={block.left_out} />}
        </div>
      )}
    </Fold>
  )
}

function whoOf({ role }: Message, agent: SessionAgent): string {
  if (role === 'assistant') return oneLine(nameOf(agent), NAME)
  return role === 'user' && agent.id !== MAIN ? w.task : w.roles[role]
}

const tokensOf = (usage: TokenUsage): string =>
  w.tokensOf([
    [w.tokens.input, usage.input],
    [w.tokens.cache_read, usage.cache_read],
    [w.tokens.cache_write, usage.cache_write],
    [w.tokens.output, usage.output],
  ])
