import { Button } from './button.tsx'
import { Empty } from './empty.tsx'

/** A list whose filters leave nothing. */
export function NoMatch(props: {
  readonly title: string
  readonly body: string
  readonly clear: string
  readonly onClear: () => void
}) {
  return (
    <Empty title={props.title}>
      <p className="text-text-2">{props.body}</p>
      <div>
        <Button kind="main" onClick={props.onClear}>
          {props.clear}
        </Button>
      </div>
    </Empty>
  )
}
