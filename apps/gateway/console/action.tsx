interface ActionProps {
  readonly label: string;
  /** What it acts on, for those who do not see the row. */
  readonly target: string;
  /** Why it is not possible now; null if it is. */
  readonly reason: string | null;
  readonly onClick: () => void;
}

/** A button of a row. While it is disabled, its title states why. */
export function Action({ label, target, reason, onClick }: ActionProps) {
  return (
    <button
      type="button"
      aria-label={`${label} ${target}`}
      disabled={reason !== null}
      title={reason ?? ''}
      onClick={onClick}
    >
      {label}
    </button>
  );
}
