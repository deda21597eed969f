import { Link } from '@tanstack/react-router'
import { Button, buttonClass } from '../design/button.tsx'
import { Code } from '../design/code.tsx'
import { Empty } from '../design/empty.tsx'
import { words } from '../words.ts'

const w = words.sessions

export function NoSessions() {
  return (
    <Empty title={w.empty.title} eye>
      <p className="text-text-2">{w.empty.body}</p>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2 text-12">
        <dt>{w.empty.claudeName}</dt>
        <dd>
          <Code>{w.empty.claude}</Code>
        </dd>
        <dt>{w.empty.hermesName}</dt>
        <dd>
          <Code>{w.empty.hermes}</Code>
        </dd>
      </dl>
      <p className="text-text-2">{w.empty.next}</p>
      <div className="pt-1">
        <Link to="/settings" hash="sources" className={buttonClass('plain')}>
          {w.empty.sources}
        </Link>
      </div>
    </Empty>
  )
}

export function NoMatch({ onClear }: { readonly onClear: () => void }) {
  return (
    <Empty title={w.noMatch.title}>
      <p className="text-text-2">{w.noMatch.body}</p>
      <div>
        <Button kind="main" onClick={onClear}>
          {w.filter.clear}
        </Button>
      </div>
    </Empty>
  )
}
