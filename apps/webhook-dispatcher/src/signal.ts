/** A signal tells everybody who listens what its owner emits, in the order in which they began to listen. */
export class Signal<T = void> {
  private readonly listeners: ((value: T) => void)[] = [];

  listen(listener: (value: T) => void): void {
    this.listeners.push(listener);
  }

  emit(value: T): void {
    for (const listener of this.listeners) listener(value);
  }
}
