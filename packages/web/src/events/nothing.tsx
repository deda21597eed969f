import { Link } from '@tanstack/react-router'
import { Button, buttonClass } from '../design/button.tsx'
import { Command } from '../design/command.tsx'
import { Empty } from '../design/empty.tsx'
import { useCommand } from '../shell/use-command.ts'
import { words } from '../words.ts'

const w = words.events

export function NoEvents() {
  const command = useCommand()
  return (
    <Empty title={w.empty.title} eye>
      <p className="text-text-2">{w.empty.body}</p>
      <Command text={w.empty.demo(command)} />
      <p className="pt-1 text-text-2">{w.empty.post}</p>
      <Command text={w.empty.example(location.origin)} />
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
