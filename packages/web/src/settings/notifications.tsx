import { useState } from 'react'
import { Card, CardRow } from '../design/card.tsx'
import { Segmented } from '../design/segmented.tsx'
import { type AlertSettings, alertSettings, changeAlerts } from '../live/alerts/settings.ts'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import { Block } from './block.tsx'

const w = words.live.alerts

export function NotificationsBlock() {
  const settings = useStore(alertSettings)
  const [allowed, setAllowed] = useState(permission)
  const turn = async (value: 'on' | 'off') => {
    if (value === 'on' && allowed === 'default') {
      const answer = await Notification.requestPermission()
      setAllowed(answer)
      changeAlerts({ on: answer === 'granted' })
    } else changeAlerts({ on: value === 'on' && allowed === 'granted' })
  }
  const problem = allowed === 'absent' ? w.absent : allowed === 'denied' ? w.blocked : null
  const on = settings.on && allowed === 'granted'
  return (
    <Block id="notifications" title={w.title} sub={w.sub}>
      <Card>
        <CardRow
          title={w.on}
          detail={problem ?? w.onDetail}
          {...(problem === null
            ? { end: <OnOff label={w.on} on={on} onChange={(value) => void turn(value)} /> }
            : {})}
        />
        <CardRow
          title={w.quiet}
          detail={w.quietDetail}
          end={
            <>
              {settings.quiet && (
                <>
                  <Hour name="from" label={w.from} settings={settings} />
                  <span aria-hidden="true">–</span>
                  <Hour name="to" label={w.to} settings={settings} />
                </>
              )}
              <OnOff
                label={w.quiet}
                on={settings.quiet}
                onChange={(value) => changeAlerts({ quiet: value === 'on' })}
              />
            </>
          }
        />
      </Card>
    </Block>
  )
}

function OnOff(props: {
  readonly label: string
  readonly on: boolean
  readonly onChange: (value: 'on' | 'off') => void
}) {
  return (
    <Segmented
      label={props.label}
      value={props.on ? 'on' : 'off'}
      onChange={props.onChange}
      segments={[
        { value: 'on', label: w.yes },
        { value: 'off', label: w.no },
      ]}
    />
  )
}

function Hour(props: {
  readonly name: 'from' | 'to'
  readonly label: string
  readonly settings: AlertSettings
}) {
  return (
    <input
      type="time"
      aria-label={props.label}
      value={props.settings[props.name]}
      onChange={(event) => changeAlerts({ [props.name]: event.target.value })}
      className="h-7 rounded-control border border-line-strong bg-raised px-2 text-12 text-text touch:h-11"
    />
  )
}

function permission(): NotificationPermission | 'absent' {
  return typeof Notification === 'undefined' ? 'absent' : Notification.permission
}
