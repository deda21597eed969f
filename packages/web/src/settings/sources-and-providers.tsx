import type { FoundSource } from '@panoptes/schema'
import { hookConnectionWords } from '@panoptes/schema/reading'
import { useQuery } from '@tanstack/react-query'
import { sourcesQuery } from '../api/queries.ts'
import { CardRow } from '../design/card.tsx'
import { sourceGlyphs } from '../design/glyph.tsx'
import { words } from '../words.ts'
import { Block, Facts, FoldRow, NextStep, QueryCard } from './block.tsx'

export function SourcesBlock() {
  const w = words.settings.sources
  return (
    <Block id="sources" title={w.title} sub={w.sub}>
      <FoundCard
        kind="agent"
        ghosts={2}
        states={w}
        absent={w.absent}
        empty={w.empty}
        emptyNext={w.emptyNext}
      />
    </Block>
  )
}

export function ProvidersBlock() {
  const w = words.settings.providers
  const states = { found: w.ready, unreadable: w.unreadable }
  return (
    <Block id="providers" title={w.title} sub={w.sub}>
      <FoundCard
        kind="provider"
        ghosts={3}
        states={states}
        absent={w.absent}
        empty={w.empty}
        emptyNext={w.emptyNext}
      />
    </Block>
  )
}

function FoundCard(props: {
  readonly kind: FoundSource['kind']
  readonly ghosts: number
  readonly states: Readonly<Record<Exclude<FoundSource['state'], 'absent'>, string>>
  readonly absent: (count: number) => string
  readonly empty: string
  readonly emptyNext: string
}) {
  const query = useQuery(sourcesQuery)
  return (
    <QueryCard query={query} ghosts={props.ghosts}>
      {({ sources }) => {
        const rows = sources.filter((source) => source.kind === props.kind)
        if (rows.length === 0) return <CardRow glyph="unknown" title={props.empty} detail={props.emptyNext} />
        const absent = rows.filter((source) => source.state === 'absent')
        return (
          <>
            {rows
              .filter((source) => source.state !== 'absent')
              .map((source) => (
                <FoundRow
                  key={source.id}
                  source={source}
                  state={source.state === 'found' ? props.states.found : props.states.unreadable}
                />
              ))}
            <FoldRow glyph="unknown" title={props.absent(absent.length)} items={absent.map(asItem)} />
          </>
        )
      }}
    </QueryCard>
  )
}

function FoundRow({ source, state }: { readonly source: FoundSource; readonly state: string }) {
  return (
    <CardRow
      glyph={sourceGlyphs[source.state]}
      title={source.name}
      detail={
        <>
          {source.path !== null && (
            <>
              <code className="text-11 break-all">{source.path}</code> ·{' '}
            </>
          )}
          {source.detail}
        </>
      }
      end={<span className={source.state === 'unreadable' ? 'text-failed' : ''}>{state}</span>}
    >
      {source.hooks && (
        <Facts
          rows={[
            [words.settings.sources.hooks, hookConnectionWords[source.hooks.connection]],
            ...(source.hooks.problem === null
              ? []
              : [
                  [
                    words.settings.sources.problem,
                    <NextStep key="problem" text={source.hooks.problem} />,
                  ] as const,
                ]),
          ]}
        />
      )}
      {source.next !== null && (
        <Facts rows={[[words.settings.sources.nextStep, <NextStep key="next" text={source.next} />]]} />
      )}
    </CardRow>
  )
}

const asItem = ({ id, name, detail, next }: FoundSource) => ({
  id,
  name,
  detail: next === null ? detail : `${detail}. ${next}`,
})
