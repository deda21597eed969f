import type { StatusReply } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { statusQuery } from '../api/queries.ts'
import { CopyButton } from '../design/copy-button.tsx'
import * as f from '../format.ts'
import { words } from '../words.ts'
import { Block, QueryCard } from './block.tsx'

const w = words.settings.about

export function AboutBlock() {
  const query = useQuery({ ...statusQuery, refetchInterval: 5_000 })
  const rows = query.data === undefined ? [] : rowsOf(query.data)
  const all = rows.map(([what, value]) => `${what}: ${value}`).join('\n')
  return (
    <Block
      id="about"
      title={w.title}
      {...(rows.length > 0 ? { end: <CopyButton text={all} label={w.copyAll} kind="quiet" /> } : {})}
    >
      <QueryCard query={query} ghosts={2}>
        {() => (
          <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 py-3 pr-3 pl-4 text-12 desk:pl-11">
            {rows.map(([what, value]) => (
              <div key={what} className="contents">
                <dt className="text-text-3">{what}</dt>
                <dd className="min-w-0 break-all text-text">{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </QueryCard>
    </Block>
  )
}

function rowsOf(status: StatusReply): readonly (readonly [string, string])[] {
  return [
    [w.version, status.version],
    [w.address, status.address],
    [w.running, f.duration(status.now - status.started_at)],
    ...(status.pid === undefined ? [] : [[w.process, String(status.pid)] as const]),
    ...(status.home === undefined ? [] : [[w.home, status.home] as const]),
    [w.node, status.node],
    [w.platform, status.platform],
    [w.host, status.host],
  ]
}
